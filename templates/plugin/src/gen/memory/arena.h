<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "gen/api/status.h"
#include "gen/memory/arena_options.h"
#include "gen/memory/source.h"
<% if streams %>
#include "gen/memory/stream_order.h"
<% endif %>

namespace <%= ns %> {

// In bytes, and numbers of calls.
struct ArenaStatistics {
  size_t in_use = 0;
  size_t total = 0;  // what the arena holds, in use or not
  size_t most_in_use = 0;
  size_t largest = 0;  // the largest allocation
  size_t allocations = 0;
  size_t reserves = 0;
  size_t extensions = 0;
  size_t shrinkages = 0;
};

// Hands out parts of few large regions, and keeps what comes back for the next caller: the smallest
// free block that is large enough is used, its rest is split off, and neighbours that are free are
// joined. Never follows an address, so the memory may be the device's. Every call may come from
// several threads at once.
<% if streams %>
//
// What is freed may be in use by queues still. Until their work is known to be done it serves that
// queue alone, and those whose work comes after; it is joined with what is like it. When nothing
// else helps, allocating waits for a queue, never with the arena locked.
<% endif %>
class Arena {
 public:
  static constexpr size_t kAlignment = 256;  // of every address, and of every size

<% if streams %>
  // `source` and `order` outlive the arena. Without an order nothing is ever in a queue.
  Arena(MemorySource& source, const ArenaOptions& options, StreamOrder* order);
<% else %>
  // `source` outlives the arena.
  Arena(MemorySource& source, const ArenaOptions& options);
<% endif %>
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

<% if streams %>
  // For work that is put into `stream` from now on; without one, for the host and any queue. The
  // address is null for no bytes.
  Status Allocate(size_t bytes, Stream stream, void** address);
<% else %>
  // The address is null for no bytes.
  Status Allocate(size_t bytes, void** address);
<% endif %>
  // Outside the regions: for what lives as long as a session, and would hold a region for as long.
  Status Reserve(size_t bytes, void** address);
  // Takes null, too. False for what is not allocated here, or not any more: nothing is done then.
  [[nodiscard]] bool Free(void* address) noexcept;
<% if streams %>
  // Gives back the regions of which nothing is in use. Waits for the queues that may use them
  // still, as giving memory back does anyway: here the arena serves others meanwhile.
  void Shrink();
<% else %>
  // Gives back the regions of which nothing is in use.
  void Shrink() noexcept;
<% endif %>

  ArenaStatistics Statistics() const;
  const ArenaOptions& options() const noexcept { return options_; }

 private:
  using Address = uintptr_t;
  using FreeBlocks = std::set<std::pair<size_t, Address>>;  // by size

  // What the source gave: `base` and `bytes`. Of it `usable` bytes at its first aligned address,
  // `begin`, are used.
  struct Region {
    void* base = nullptr;
    size_t bytes = 0;
    Address begin = 0;
    size_t usable = 0;
  };
<% if streams %>
  using Moment = StreamOrder::Moment;
  // What a queue has left behind, or is given. Under the null stream: what any queue may use.
  struct Group {
    FreeBlocks free;   // not known to be done
    size_t in_use = 0; // blocks
    Moment done = 0;   // all that was free and done then has been moved away
    Moment reach = 0;  // while looking for memory: what was free then may be taken
  };
  using Groups = std::map<Stream, Group>;
<% endif %>
  struct Block {
    size_t bytes = 0;
    Address region = 0;
<% if streams %>
    Groups::value_type* group = nullptr;  // whose it is; null when it is free and done
    Moment moment = 0;                    // of the last time that part of it was freed
<% endif %>
    // While the block is in use, its place among the free ones: freeing takes no memory.
    FreeBlocks::node_type place;

    bool is_free() const noexcept { return place.empty(); }
  };
  using Blocks = std::map<Address, Block>;
  using Regions = std::map<Address, Region>;  // by `begin`

<% if streams %>
  using Lock = std::unique_lock<std::mutex>;

  // The caller holds the mutex. Functions that take the lock let go of it while they wait.
  Blocks::iterator FindFree(size_t wanted, Stream stream);
  Blocks::iterator FindSafe(size_t wanted, Stream stream);
  Status FindMore(size_t wanted, Stream stream, Lock& lock, Blocks::iterator* found);
  bool HasWaste(size_t wanted, Stream stream) const;
  bool FindBusy(size_t wanted, Stream* stream) const;
  void Settle(Stream stream, Lock& lock);
  void SettleAll(Lock& lock);
  void Ripen();
  FreeBlocks& PlacesOf(const Block& block) noexcept;
  void Occupy(Blocks::iterator first, size_t wanted, Stream stream);
  void PutFree(Blocks::iterator block, FreeBlocks::node_type place) noexcept;
  void GiveBackUnused(Lock& lock) noexcept;
  bool FreeReserved(Address address, Lock& lock) noexcept;
<% else %>
  // The caller holds the mutex.
  void GiveBackUnused() noexcept;
  bool FreeReserved(Address address) noexcept;
<% endif %>
  Status Grow(size_t wanted);
  Status AddRegion(size_t bytes, size_t wanted);
  Status Take(size_t bytes, size_t wanted, Region* region);
  void CountUse(size_t bytes) noexcept;

  MemorySource& source_;
  const ArenaOptions options_;
<% if streams %>
  StreamOrder* const order_;
<% endif %>
  mutable std::mutex mutex_;
  Blocks blocks_;  // all of them; neighbours in a region are neighbours here
<% if streams %>
  FreeBlocks free_;  // and done
  Groups groups_;
<% else %>
  FreeBlocks free_;
<% endif %>
  Regions regions_;
  Regions reserved_;
  size_t next_region_;  // how large the next one is meant to be
  ArenaStatistics statistics_;
};

}  // namespace <%= ns %>
