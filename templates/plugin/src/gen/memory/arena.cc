<%= banner %>
#include "gen/memory/arena.h"

#include <algorithm>
<% if not streams %>
#include <iterator>
<% endif %>
#include <string>
<% if streams %>
#include <utility>
<% endif %>

#include "gen/memory/nodes.h"

namespace <%= ns %> {
namespace {

bool RoundUp(size_t bytes, size_t* rounded) {
  *rounded = (bytes + Arena::kAlignment - 1) & ~(Arena::kAlignment - 1);
  return *rounded >= bytes;
}

Status TooMuch(size_t bytes) {
  return Failed("there are no " + std::to_string(bytes) + " bytes in any memory");
}

}  // namespace

<% if streams %>
Arena::Arena(MemorySource& source, const ArenaOptions& options, StreamOrder* order)
    : source_(source), options_(options), order_(order), next_region_(options.first_region) {}
<% else %>
Arena::Arena(MemorySource& source, const ArenaOptions& options)
    : source_(source), options_(options), next_region_(options.first_region) {}
<% endif %>

Arena::~Arena() {
  for (const auto& [begin, region] : regions_) source_.Free(region.base);
  for (const auto& [begin, region] : reserved_) source_.Free(region.base);
}

<% if streams %>
Status Arena::Allocate(size_t bytes, Stream stream, void** address) {
  *address = nullptr;
  size_t wanted = 0;
  if (bytes == 0) return Status();
  if (!RoundUp(bytes, &wanted)) return TooMuch(bytes);
  Lock lock(mutex_);
  auto found = FindFree(wanted, stream);
  if (found == blocks_.end()) EP_RETURN_IF_ERROR(FindMore(wanted, stream, lock, &found));
  Occupy(found, wanted, stream);
  ++statistics_.allocations;
  CountUse(found->second.bytes);
  *address = reinterpret_cast<void*>(found->first);
  return Status();
}
<% else %>
Status Arena::Allocate(size_t bytes, void** address) {
  *address = nullptr;
  size_t wanted = 0;
  if (bytes == 0) return Status();
  if (!RoundUp(bytes, &wanted)) return TooMuch(bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  auto found = free_.lower_bound({wanted, 0});
  if (found == free_.end()) {
    EP_RETURN_IF_ERROR(Grow(wanted));
    found = free_.lower_bound({wanted, 0});
  }
  const Address begin = found->second;
  Block& block = blocks_.find(begin)->second;
  const size_t rest = block.bytes - wanted;
  if (rest > options_.largest_rest || rest >= wanted) {
    auto rest_block = MakeNode<Blocks>(begin + wanted, Block{rest, block.region, {}});
    auto rest_place = MakeNode<FreeBlocks>(rest, begin + wanted);
    blocks_.insert(std::move(rest_block));
    free_.insert(std::move(rest_place));
    block.bytes = wanted;
  }
  block.place = free_.extract(found);
  ++statistics_.allocations;
  CountUse(block.bytes);
  *address = reinterpret_cast<void*>(begin);
  return Status();
}
<% endif %>

Status Arena::Reserve(size_t bytes, void** address) {
  *address = nullptr;
  size_t wanted = 0;
  if (bytes == 0) return Status();
  if (!RoundUp(bytes, &wanted)) return TooMuch(bytes);
  auto node = MakeNode<Regions>(Address{0}, Region{});
<% if streams %>
  Lock lock(mutex_);
  if (!Take(wanted, wanted, &node.mapped()).ok()) {
    SettleAll(lock);
    GiveBackUnused(lock);
<% else %>
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!Take(wanted, wanted, &node.mapped()).ok()) {
    GiveBackUnused();
<% endif %>
    EP_RETURN_IF_ERROR(Take(wanted, wanted, &node.mapped()));
  }
  node.key() = node.mapped().begin;
  const Region& region = reserved_.insert(std::move(node)).position->second;
  ++statistics_.reserves;
  CountUse(region.usable);
  *address = reinterpret_cast<void*>(region.begin);
  return Status();
}

<% if streams %>
bool Arena::Free(void* address) noexcept {
  if (address == nullptr) return true;
  Lock lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<Address>(address));
  if (found == blocks_.end()) return FreeReserved(reinterpret_cast<Address>(address), lock);
  Block& block = found->second;
  if (block.is_free()) return false;
  statistics_.in_use -= block.bytes;
  if (block.group != nullptr) {
    --block.group->second.in_use;
    block.moment = order_->Now();
    if (order_->IsDone(block.group->first, block.moment)) block.group = nullptr;
  }
  PutFree(found, std::move(block.place));
  return true;
}

bool Arena::FreeReserved(Address address, Lock& lock) noexcept {
  const auto found = reserved_.find(address);
  if (found == reserved_.end()) return false;
  const auto region = reserved_.extract(found);
  statistics_.in_use -= region.mapped().usable;
  lock.unlock();
  source_.Free(region.mapped().base);
  lock.lock();
  statistics_.total -= region.mapped().bytes;
  return true;
}

void Arena::Shrink() {
  Lock lock(mutex_);
  SettleAll(lock);
  GiveBackUnused(lock);
}
<% else %>
bool Arena::Free(void* address) noexcept {
  if (address == nullptr) return true;
  const std::lock_guard<std::mutex> lock(mutex_);
  auto block = blocks_.find(reinterpret_cast<Address>(address));
  if (block == blocks_.end()) return FreeReserved(reinterpret_cast<Address>(address));
  if (block->second.is_free()) return false;
  statistics_.in_use -= block->second.bytes;
  FreeBlocks::node_type place = std::move(block->second.place);
  const auto joins = [&](Blocks::iterator other) {
    return other->second.is_free() && other->second.region == block->second.region;
  };
  const auto next = std::next(block);
  if (next != blocks_.end() && joins(next)) {
    free_.erase({next->second.bytes, next->first});
    block->second.bytes += next->second.bytes;
    blocks_.erase(next);
  }
  if (block != blocks_.begin() && joins(std::prev(block))) {
    const auto before = std::prev(block);
    free_.erase({before->second.bytes, before->first});
    before->second.bytes += block->second.bytes;
    blocks_.erase(block);
    block = before;
  }
  place.value() = {block->second.bytes, block->first};
  free_.insert(std::move(place));
  return true;
}

bool Arena::FreeReserved(Address address) noexcept {
  const auto found = reserved_.find(address);
  if (found == reserved_.end()) return false;
  statistics_.in_use -= found->second.usable;
  statistics_.total -= found->second.bytes;
  source_.Free(found->second.base);
  reserved_.erase(found);
  return true;
}

void Arena::Shrink() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  GiveBackUnused();
}
<% endif %>

ArenaStatistics Arena::Statistics() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return statistics_;
}

Status Arena::Grow(size_t wanted) {
  size_t planned = wanted;
  if (!options_.exact) {
    planned = std::min(next_region_, options_.largest_region);
    while (planned < wanted && planned <= options_.largest_region / 2) planned *= 2;
    planned = std::max(planned, wanted);
  }
  // Never more than the limit leaves; and what the source refuses in advance, it may have for now.
  planned = std::min(planned, options_.limit - std::min(options_.limit, statistics_.total));
  Status grown = AddRegion(std::max(planned, wanted), wanted);
  if (!grown.ok() && planned > wanted) grown = AddRegion(wanted, wanted);
<% if not streams %>
  if (!grown.ok()) {
    GiveBackUnused();  // free, but in pieces that are too small
    grown = AddRegion(wanted, wanted);
  }
<% endif %>
  if (!grown.ok()) return grown;
  ++statistics_.extensions;
  const size_t doubled = planned <= SIZE_MAX / 2 ? planned * 2 : planned;
  next_region_ = statistics_.extensions == 1 ? options_.next_region : doubled;
  return Status();
}

Status Arena::AddRegion(size_t bytes, size_t wanted) {
  auto region = MakeNode<Regions>(Address{0}, Region{});
  auto block = MakeNode<Blocks>(Address{0}, Block{});
  auto place = MakeNode<FreeBlocks>(size_t{0}, Address{0});
  EP_RETURN_IF_ERROR(Take(bytes, wanted, &region.mapped()));
  const Region& taken = region.mapped();
  block.key() = taken.begin;
  block.mapped().bytes = taken.usable;
  block.mapped().region = taken.begin;
  place.value() = {taken.usable, taken.begin};
  region.key() = taken.begin;
  regions_.insert(std::move(region));
  blocks_.insert(std::move(block));
  free_.insert(std::move(place));
  return Status();
}

// Sets `region`, which has room for `wanted` bytes. A source need not align as strictly.
Status Arena::Take(size_t bytes, size_t wanted, Region* region) {
  for (const size_t more : {size_t{0}, kAlignment}) {
    if (bytes > SIZE_MAX - more) break;
    const size_t asked = bytes + more;
    const size_t room = options_.limit - std::min(options_.limit, statistics_.total);
    if (asked > room) {
      return Failed(std::to_string(asked) + " bytes more would pass the arena's limit of " +
                    std::to_string(options_.limit) + ", of which it holds " +
                    std::to_string(statistics_.total));
    }
    EP_RETURN_IF_ERROR(source_.Allocate(asked, &region->base));
    const auto base = reinterpret_cast<Address>(region->base);
    const size_t slack = (kAlignment - base % kAlignment) % kAlignment;
    region->bytes = asked;
    region->begin = base + slack;
    region->usable = asked < slack ? 0 : (asked - slack) & ~(kAlignment - 1);
    if (region->usable >= wanted) {
      statistics_.total += asked;
      return Status();
    }
    source_.Free(region->base);
  }
  return TooMuch(bytes);
}

<% if not streams %>
void Arena::GiveBackUnused() noexcept {
  for (auto region = regions_.begin(); region != regions_.end();) {
    const auto block = blocks_.find(region->first);
    if (!block->second.is_free() || block->second.bytes != region->second.usable) {
      ++region;
      continue;
    }
    free_.erase({block->second.bytes, block->first});
    blocks_.erase(block);
    source_.Free(region->second.base);
    statistics_.total -= region->second.bytes;
    ++statistics_.shrinkages;
    region = regions_.erase(region);
    next_region_ = options_.next_region;
  }
}

<% endif %>
void Arena::CountUse(size_t bytes) noexcept {
  statistics_.in_use += bytes;
  statistics_.most_in_use = std::max(statistics_.most_in_use, statistics_.in_use);
  statistics_.largest = std::max(statistics_.largest, bytes);
}

}  // namespace <%= ns %>
