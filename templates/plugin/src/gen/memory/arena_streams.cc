<%= banner %>
// What an arena does about queues.
#include <algorithm>
#include <iterator>
#include <utility>

#include "gen/memory/arena.h"
#include "gen/memory/nodes.h"

namespace <%= ns %> {

// The smallest block that is large enough, of those that are done and those of the queue itself:
// all that there is with one queue.
Arena::Blocks::iterator Arena::FindFree(size_t wanted, Stream stream) {
  const std::pair<size_t, Address> least{wanted, 0};
  auto best = free_.lower_bound(least);
  bool is_found = best != free_.end();
  const auto own = stream != nullptr ? groups_.find(stream) : groups_.end();
  if (own != groups_.end()) {
    const auto other = own->second.free.lower_bound(least);
    if (other != own->second.free.end() && (!is_found || other->first <= best->first)) {
      best = other;
      is_found = true;
    }
  }
  return is_found ? blocks_.find(best->second) : blocks_.end();
}

// The same of all that may be taken, neighbours together: where they begin.
Arena::Blocks::iterator Arena::FindSafe(size_t wanted, Stream stream) {
  const auto found = FindFree(wanted, stream);
  if (found != blocks_.end() || order_ == nullptr) return found;
  for (auto& [other, group] : groups_) group.reach = order_->AfterUntil(stream, other);
  const auto may_take = [](const Block& block) {
    return block.is_free() &&
           (block.group == nullptr || block.moment <= block.group->second.reach);
  };
  auto best = blocks_.end();
  size_t best_bytes = SIZE_MAX;
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    const auto first = block;
    size_t bytes = 0;
    while (block != blocks_.end() && block->second.region == first->second.region &&
           may_take(block->second)) {
      bytes += block->second.bytes;
      ++block;
    }
    if (bytes == 0) ++block;
    if (bytes >= wanted && bytes < best_bytes) {
      best = first;
      best_bytes = bytes;
    }
  }
  return best;
}

// In this order: what has been done by now, new memory, waiting for one queue, waiting for all,
// giving back what is in pieces that are too small.
Status Arena::FindMore(size_t wanted, Stream stream, Lock& lock, Blocks::iterator* found) {
  const auto is_found = [&] { return (*found = FindSafe(wanted, stream)) != blocks_.end(); };
  Ripen();
  if (is_found()) return Status();
  if (HasWaste(wanted, stream)) {
    Settle(nullptr, lock);
    if (is_found()) return Status();
  }
  Status grown = Grow(wanted);
  if (!grown.ok()) {
    Stream busy = nullptr;
    if (FindBusy(wanted, &busy)) {
      Settle(busy, lock);
      if (is_found()) return Status();
    }
    SettleAll(lock);
    if (is_found()) return Status();
    GiveBackUnused(lock);
    grown = Grow(wanted);
  }
  if (!grown.ok()) return grown;
  *found = FindFree(wanted, stream);
  return Status();
}

// What was for no queue in particular is freed again and again before queues are waited for, and
// serves nobody meanwhile. Growing for it is better than waiting, but not without end.
bool Arena::HasWaste(size_t wanted, Stream stream) const {
  const auto found = stream == nullptr ? groups_.find(nullptr) : groups_.end();
  if (found == groups_.end()) return false;
  size_t bytes = 0;
  for (const auto& [size, begin] : found->second.free) bytes += size;
  return bytes >= wanted && bytes - wanted > statistics_.in_use;
}

// Of the blocks that would do, were they not in use by a queue, the one that was freed first.
bool Arena::FindBusy(size_t wanted, Stream* stream) const {
  bool is_found = false;
  Moment first = 0;
  for (const auto& [each, group] : groups_) {
    const auto place = group.free.lower_bound({wanted, 0});
    if (place == group.free.end()) continue;
    const Moment moment = blocks_.find(place->second)->second.moment;
    if (is_found && moment >= first) continue;
    is_found = true;
    first = moment;
    *stream = each;
  }
  return is_found;
}

void Arena::Settle(Stream stream, Lock& lock) {
  lock.unlock();
  order_->Settle(stream);
  lock.lock();
  Ripen();
}

void Arena::SettleAll(Lock& lock) {
  for (auto each = groups_.begin(); each != groups_.end();) {
    const Stream stream = each->first;
    if (!each->second.free.empty()) Settle(stream, lock);
    each = groups_.upper_bound(stream);  // groups come and go meanwhile
  }
}

// Moves what has been done to where everybody finds it.
void Arena::Ripen() {
  for (auto each = groups_.begin(); each != groups_.end();) {
    auto& [stream, group] = *each;
    const Moment done = order_->DoneUntil(stream);
    for (auto place = group.free.begin(); done > group.done && place != group.free.end();) {
      const auto block = blocks_.find(place->second);
      const auto old = place++;
      if (block->second.moment > done) continue;
      auto node = group.free.extract(old);
      block->second.group = nullptr;
      PutFree(block, std::move(node));
    }
    group.done = std::max(group.done, done);
    const bool is_idle = group.free.empty() && group.in_use == 0;
    each = is_idle ? groups_.erase(each) : std::next(each);
  }
}

Arena::FreeBlocks& Arena::PlacesOf(const Block& block) noexcept {
  return block.group != nullptr ? block.group->second.free : free_;
}

// Takes the block, and as many of those behind it as are needed.
void Arena::Occupy(Blocks::iterator first, size_t wanted, Stream stream) {
  Groups::value_type* group = nullptr;
  if (order_ != nullptr) group = &*groups_.try_emplace(stream).first;
  auto last = first;
  size_t bytes = first->second.bytes;
  while (bytes < wanted) bytes += (++last)->second.bytes;
  const size_t rest = bytes - wanted;
  if (rest > options_.largest_rest || rest >= wanted) {
    Block cut{rest, last->second.region, last->second.group, last->second.moment, {}};
    auto rest_block = MakeNode<Blocks>(first->first + wanted, std::move(cut));
    auto rest_place = MakeNode<FreeBlocks>(rest, first->first + wanted);
    PlacesOf(last->second).insert(std::move(rest_place));
    blocks_.insert(std::move(rest_block));
    bytes = wanted;
  }
  Block& block = first->second;
  block.place = PlacesOf(block).extract({block.bytes, first->first});
  while (last != first) {
    PlacesOf(last->second).erase({last->second.bytes, last->first});
    last = std::prev(blocks_.erase(last));
  }
  block.bytes = bytes;
  block.group = group;
  if (group != nullptr) ++group->second.in_use;
}

// `place` is a node to use.
void Arena::PutFree(Blocks::iterator block, FreeBlocks::node_type place) noexcept {
  const auto joins = [&](Blocks::iterator other) {
    return other->second.is_free() && other->second.region == block->second.region &&
           other->second.group == block->second.group;
  };
  FreeBlocks& places = PlacesOf(block->second);
  const auto join = [&](Blocks::iterator left, Blocks::iterator right) {
    left->second.bytes += right->second.bytes;
    left->second.moment = std::max(left->second.moment, right->second.moment);
    blocks_.erase(right);
  };
  const auto next = std::next(block);
  if (next != blocks_.end() && joins(next)) {
    places.erase({next->second.bytes, next->first});
    join(block, next);
  }
  if (block != blocks_.begin() && joins(std::prev(block))) {
    const auto before = std::prev(block);
    places.erase({before->second.bytes, before->first});
    join(before, block);
    block = before;
  }
  place.value() = {block->second.bytes, block->first};
  places.insert(std::move(place));
}

void Arena::GiveBackUnused(Lock& lock) noexcept {
  Regions unused;
  for (auto each = regions_.begin(); each != regions_.end();) {
    const auto region = each++;
    const auto block = blocks_.find(region->first);
    const bool is_unused = block->second.is_free() && block->second.group == nullptr &&
                           block->second.bytes == region->second.usable;
    if (!is_unused) continue;
    free_.erase({block->second.bytes, block->first});
    blocks_.erase(block);
    unused.insert(regions_.extract(region));
    next_region_ = options_.next_region;
  }
  if (unused.empty()) return;
  lock.unlock();
  for (const auto& [begin, region] : unused) source_.Free(region.base);
  lock.lock();
  for (const auto& [begin, region] : unused) {
    statistics_.total -= region.bytes;
    ++statistics_.shrinkages;
  }
}

}  // namespace <%= ns %>
