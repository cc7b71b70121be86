<%= banner %>
#include "gen/graph/quotient.h"

#include <algorithm>

namespace <%= ns %> {
namespace {

constexpr uint64_t kStepsPerItem = 64;    // of all searches, for every node and every edge
constexpr uint64_t kStepsPerSearch = 64;  // when those are used up
constexpr int kGapBits = 32;              // between the labels of neighbours, at first

}  // namespace

Quotient::Quotient(size_t count, const std::vector<Edge>& edges)
    : head_(static_cast<uint32_t>(count)),
      tail_(head_ + 1),
      parent_(count),
      successors_(count),
      predecessors_(count),
      previous_(count + 2),
      next_(count + 2),
      label_(count + 2),
      member_(count),
      ahead_(count),
      behind_(count),
      listed_(count),
      budget_(kStepsPerItem * (count + edges.size())) {
  uint32_t last = head_;
  for (uint32_t i = 0; i < count; ++i) {
    parent_[i] = i;
    previous_[i] = last;
    next_[last] = i;
    last = i;
  }
  previous_[tail_] = last;
  next_[last] = tail_;
  Relabel();
  for (const auto& [from, to] : edges) {
    successors_[from].push_back(to);
    predecessors_[to].push_back(from);
  }
}

uint32_t Quotient::Find(uint32_t node) {
  while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
  return node;
}

std::vector<uint32_t> Quotient::Order() const {
  std::vector<uint32_t> order;
  for (uint32_t node = next_[head_]; node != tail_; node = next_[node]) order.push_back(node);
  return order;
}

const std::vector<uint32_t>& Quotient::Predecessors(uint32_t node) {
  Compact(&predecessors_[node], node);
  return predecessors_[node];
}

void Quotient::Sort(std::vector<uint32_t>* nodes) const {
  const auto before = [this](uint32_t a, uint32_t b) { return label_[a] < label_[b]; };
  std::sort(nodes->begin(), nodes->end(), before);
}

bool Quotient::Contract(const std::vector<uint32_t>& nodes) {
  std::vector<uint32_t> parts;
  for (uint32_t node : nodes) parts.push_back(Find(node));
  Sort(&parts);
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (parts.size() < 2) return true;

  ++search_;
  for (uint32_t part : parts) member_[part] = search_;
  const uint32_t first = parts.front();
  const uint32_t last = parts.back();
  const Range range{label_[first], label_[last]};
  const size_t sources = parts.size() - 1;
  Search ahead{&successors_, &ahead_, &behind_, {parts.begin(), parts.end() - 1}, sources};
  Search behind{&predecessors_, &behind_, &ahead_, {parts.begin() + 1, parts.end()}, sources};
  const uint64_t most = std::max(budget_, kStepsPerSearch);
  bool apart = true;
  while (apart && !ahead.done() && !behind.done()) {
    Search* cheaper = ahead.cost() < behind.cost() ? &ahead : &behind;
    apart = cheaper->cost() <= most && Advance(cheaper, range);
  }
  budget_ -= std::min(budget_, ahead.spent + behind.spent);
  if (!apart) return false;

  // What lies between and comes after the first part goes behind the last one, or what comes
  // before the last part goes ahead of the first one.
  if (behind.done()) {
    Insert(behind.found(), previous_[first], true);
    Unite(parts, first);
  } else {
    Insert(ahead.found(), last, false);
    Unite(parts, last);
  }
  return true;
}

// One more node of one end. False when its finds close a path.
bool Quotient::Advance(Search* search, const Range& range) {
  search->spent = search->cost();
  const bool is_source = search->next < search->sources;
  const uint32_t node = search->queue[search->next++];
  std::vector<uint32_t>& list = (*search->edges)[node];
  Compact(&list, node);
  for (uint32_t neighbour : list) {
    if (member_[neighbour] == search_) {
      if (is_source) continue;
      return false;
    }
    if (label_[neighbour] < range.low || label_[neighbour] > range.high) continue;
    if ((*search->other)[neighbour] == search_) return false;
    if ((*search->mark)[neighbour] == search_) continue;
    (*search->mark)[neighbour] = search_;
    search->queue.push_back(neighbour);
  }
  return true;
}

// Replaces contracted nodes in a list of neighbours; each is named once, and `node` itself never.
void Quotient::Compact(std::vector<uint32_t>* list, uint32_t node) {
  ++compaction_;
  size_t kept = 0;
  for (uint32_t entry : *list) {
    const uint32_t neighbour = Find(entry);
    if (neighbour == node || listed_[neighbour] == compaction_) continue;
    listed_[neighbour] = compaction_;
    (*list)[kept++] = neighbour;
  }
  list->resize(kept);
}

// The parts become one node, in the place of one of them.
void Quotient::Unite(const std::vector<uint32_t>& parts, uint32_t place) {
  uint32_t root = place;  // the one with the longest lists, which are then not copied
  for (uint32_t part : parts) {
    const size_t size = successors_[part].size() + predecessors_[part].size();
    if (size > successors_[root].size() + predecessors_[root].size()) root = part;
  }
  for (uint32_t part : parts) {
    if (part != place) Unlink(part);
  }
  if (root != place) {
    previous_[root] = previous_[place];
    next_[root] = next_[place];
    next_[previous_[root]] = root;
    previous_[next_[root]] = root;
    label_[root] = label_[place];
  }
  for (uint32_t part : parts) {
    if (part == root) continue;
    parent_[part] = root;
    for (Lists* lists : {&successors_, &predecessors_}) {
      std::vector<uint32_t> list = std::move((*lists)[part]);
      (*lists)[part] = {};
      (*lists)[root].insert((*lists)[root].end(), list.begin(), list.end());
    }
  }
}

void Quotient::Unlink(uint32_t node) {
  next_[previous_[node]] = next_[node];
  previous_[next_[node]] = previous_[node];
}

void Quotient::Insert(std::vector<uint32_t> nodes, uint32_t left, bool close) {
  if (nodes.empty()) return;
  Sort(&nodes);
  for (uint32_t node : nodes) Unlink(node);
  const uint32_t right = next_[left];
  uint64_t gap = label_[right] - label_[left];
  if (gap <= nodes.size()) {
    Relabel();
    gap = label_[right] - label_[left];
  }
  // Close together, so that there is room for those that are put there next.
  constexpr uint64_t kShare = 1024;
  uint64_t step = gap / kShare / nodes.size();
  if (step == 0) step = gap / (nodes.size() + 1);
  uint64_t label = close ? label_[left] : label_[right] - step * (nodes.size() + 1);
  for (uint32_t node : nodes) {
    label_[node] = label += step;
    previous_[node] = left;
    next_[left] = node;
    left = node;
  }
  next_[left] = right;
  previous_[right] = left;
}

void Quotient::Relabel() {
  uint64_t label = 0;
  for (uint32_t node = head_;; node = next_[node]) {
    label_[node] = label;
    label += uint64_t{1} << kGapBits;
    if (node == tail_) break;
  }
  budget_ -= std::min<uint64_t>(budget_, label_.size());
}

}  // namespace <%= ns %>
