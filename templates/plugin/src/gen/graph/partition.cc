<%= banner %>
#include "gen/graph/partition.h"

#include <algorithm>
#include <string>

#include "gen/graph/quotient.h"

namespace <%= ns %> {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

// What is put into groups: nodes, or nodes that belong together already. Numbered in an order in
// which they can be computed.
struct Unit {
  size_t nodes = 1;
  bool joins = false;  // may be one of several in a group
};

// Units in groups, each of which goes by the number of one of them.
class Groups {
 public:
  Groups(std::vector<Unit> units, const std::vector<Quotient::Edge>& edges, size_t most)
      : units_(std::move(units)), quotient_(units_.size(), edges), most_(most) {}

  uint32_t Find(uint32_t unit) { return quotient_.Find(unit); }
  std::vector<uint32_t> Order() const { return quotient_.Order(); }
  const Unit& operator[](uint32_t group) const { return units_[group]; }

  // Makes one group of several. False where it cannot be.
  bool Join(const std::vector<uint32_t>& groups) {
    Unit whole;
    whole.nodes = 0;
    whole.joins = true;
    for (uint32_t group : groups) whole.nodes += units_[group].nodes;
    if (most_ != 0 && whole.nodes > most_) return false;
    if (!quotient_.Contract(groups)) return false;
    units_[quotient_.Find(groups.front())] = whole;
    return true;
  }

  void Exclude(uint32_t unit) { units_[unit].joins = false; }

  // Joins groups that an edge connects until no two are left that could be one.
  //
  // Group by group in their order, each with those before it. A path from one of these through a
  // third group or node begins with what it could not join, or with what joins nothing. That stays
  // so, and no pair has to be looked at twice.
  void JoinAll() {
    for (uint32_t group : quotient_.Order()) {
      if (!units_[group].joins) continue;
      const std::vector<uint32_t> before = quotient_.Predecessors(group);
      for (uint32_t other : before) {
        const uint32_t a = quotient_.Find(other);
        const uint32_t b = quotient_.Find(group);
        if (a != b && units_[a].joins) Join({a, b});
      }
    }
  }

 private:
  std::vector<Unit> units_;
  Quotient quotient_;
  size_t most_;
};

Status CheckEdges(const PartitionProblem& problem) {
  const size_t count = problem.supported.size();
  const std::vector<uint32_t>& first = problem.first_successor;
  if (count >= kNone - 1) return InvalidArgument("partition: too many nodes");
  if (first.size() != count + 1 || first[0] != 0 || first[count] != problem.successors.size()) {
    return InvalidArgument("partition: first_successor does not fit the nodes and edges");
  }
  for (size_t i = 0; i < count; ++i) {
    if (first[i] > first[i + 1] || first[i + 1] > problem.successors.size()) {
      return InvalidArgument("partition: first_successor does not grow at node " +
                             std::to_string(i));
    }
    for (uint32_t edge = first[i]; edge < first[i + 1]; ++edge) {
      const uint32_t to = problem.successors[edge];
      if (to >= count) {
        return InvalidArgument("partition: an edge leads from node " + std::to_string(i) +
                               " to one that is not there");
      }
      if (to <= i) {
        return InvalidArgument("partition: an edge leads back from node " + std::to_string(i) +
                               " to node " + std::to_string(to));
      }
    }
  }
  return Status();
}

Status CheckTogether(const PartitionProblem& problem) {
  std::vector<char> seen(problem.supported.size(), 0);
  for (const std::vector<uint32_t>& set : problem.together) {
    for (uint32_t node : set) {
      if (node >= seen.size() || !problem.supported[node] || seen[node]) {
        return InvalidArgument("partition: node " + std::to_string(node) +
                               " cannot be kept together with others: it is not supported, or is "
                               "in such a set already");
      }
      seen[node] = 1;
    }
  }
  return Status();
}

std::vector<Quotient::Edge> EdgesOf(const PartitionProblem& problem) {
  std::vector<Quotient::Edge> edges;
  edges.reserve(problem.successors.size());
  for (uint32_t i = 0; i < problem.supported.size(); ++i) {
    for (uint32_t edge = problem.first_successor[i]; edge < problem.first_successor[i + 1];
         ++edge) {
      edges.emplace_back(i, problem.successors[edge]);
    }
  }
  return edges;
}

// Groups that are cut into pieces of a size, each piece a unit of its own.
struct Pieces {
  std::vector<Unit> units;
  std::vector<uint32_t> of_node;
};

// Cuts along the order, which is legal since no path leaves a group and comes back. `unit_of` tells
// what must not be cut, `order` is theirs.
Pieces Cut(Groups& groups, const std::vector<uint32_t>& unit_of, const std::vector<uint32_t>& order,
           const std::vector<Unit>& units, size_t most) {
  std::vector<std::vector<Unit>> pieces(units.size());  // per group
  std::vector<uint32_t> index(units.size());            // per unit: the piece of its group
  for (uint32_t unit : order) {
    const uint32_t group = groups.Find(unit);
    std::vector<Unit>& row = pieces[group];
    if (row.empty() || row.back().nodes + units[unit].nodes > most) {
      row.push_back({0, groups[group].joins});
    }
    row.back().nodes += units[unit].nodes;
    index[unit] = static_cast<uint32_t>(row.size() - 1);
  }
  Pieces result;
  std::vector<uint32_t> first(units.size());
  for (uint32_t group : groups.Order()) {
    first[group] = static_cast<uint32_t>(result.units.size());
    result.units.insert(result.units.end(), pieces[group].begin(), pieces[group].end());
  }
  for (uint32_t unit : unit_of) result.of_node.push_back(first[groups.Find(unit)] + index[unit]);
  return result;
}

std::vector<uint32_t> FindAll(Groups& groups, size_t count) {
  std::vector<uint32_t> found(count);
  for (uint32_t i = 0; i < count; ++i) found[i] = groups.Find(i);
  return found;
}

// Per node: a number that it shares with the others of its group.
std::vector<uint32_t> Divide(const PartitionProblem& problem) {
  const size_t count = problem.supported.size();
  const std::vector<Quotient::Edge> edges = EdgesOf(problem);
  std::vector<Unit> units(count);
  for (size_t i = 0; i < count; ++i) units[i].joins = problem.supported[i] != 0;
  const size_t most = problem.max_group;

  Groups groups(units, edges, 0);
  for (const std::vector<uint32_t>& set : problem.together) {
    if (set.size() < 2 || ((most == 0 || set.size() <= most) && groups.Join(set))) continue;
    for (uint32_t node : set) groups.Exclude(node);
  }
  const std::vector<uint32_t> unit_of = FindAll(groups, count);
  const std::vector<uint32_t> order = groups.Order();
  for (uint32_t unit : order) units[unit] = groups[unit];
  groups.JoinAll();
  std::vector<uint32_t> result = FindAll(groups, count);
  const auto fits = [&](uint32_t group) { return groups[group].nodes <= most; };
  if (most == 0 || std::all_of(result.begin(), result.end(), fits)) return result;

  // A piece may join what the whole group could not.
  const Pieces pieces = Cut(groups, unit_of, order, units, most);
  std::vector<Quotient::Edge> between;
  for (const auto& [from, to] : edges) {
    const Quotient::Edge edge(pieces.of_node[from], pieces.of_node[to]);
    if (edge.first != edge.second) between.push_back(edge);
  }
  Groups small(pieces.units, between, most);
  small.JoinAll();
  for (size_t i = 0; i < count; ++i) result[i] = small.Find(pieces.of_node[i]);
  return result;
}

// Per node: does an edge lead to it or from it, or does it belong with others?
std::vector<char> FindLinked(const PartitionProblem& problem) {
  std::vector<char> linked(problem.supported.size());
  for (size_t i = 0; i < linked.size(); ++i) {
    if (problem.first_successor[i] != problem.first_successor[i + 1]) linked[i] = 1;
  }
  for (uint32_t successor : problem.successors) linked[successor] = 1;
  for (const std::vector<uint32_t>& set : problem.together) {
    for (uint32_t node : set) linked[node] = 1;
  }
  return linked;
}

}  // namespace

Status Partition(const PartitionProblem& problem, std::vector<NodeGroup>* groups) {
  EP_RETURN_IF_ERROR(CheckEdges(problem));
  EP_RETURN_IF_ERROR(CheckTogether(problem));
  const size_t count = problem.supported.size();
  const std::vector<uint32_t> group_of = Divide(problem);
  const std::vector<char> linked = FindLinked(problem);
  std::vector<uint32_t> place(count, kNone);
  uint32_t loose = kNone;
  groups->clear();
  for (uint32_t i = 0; i < count; ++i) {
    if (!problem.supported[i]) continue;
    uint32_t& group = linked[i] ? place[group_of[i]] : loose;
    const bool full = !linked[i] && group != kNone && (*groups)[group].size() == problem.max_group;
    if (group == kNone || full) {
      group = static_cast<uint32_t>(groups->size());
      groups->emplace_back();
    }
    (*groups)[group].push_back(i);
  }
  return Status();
}

}  // namespace <%= ns %>
