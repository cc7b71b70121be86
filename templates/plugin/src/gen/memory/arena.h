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
class Arena {
 public:
  static constexpr size_t kAlignment = 256;  // of every address, and of every size

  // `source` outlives the arena.
  Arena(MemorySource& source, const ArenaOptions& options);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // The address is null for no bytes.
  Status Allocate(size_t bytes, void** address);
  // Outside the regions: for what lives as long as a session, and would hold a region for as long.
  Status Reserve(size_t bytes, void** address);
  // Takes null, too. False for what is not allocated here, or not any more: nothing is done then.
  [[nodiscard]] bool Free(void* address) noexcept;
  // Gives back the regions of which nothing is in use.
  void Shrink() noexcept;

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
  struct Block {
    size_t bytes = 0;
    Address region = 0;
    // While the block is in use, its place among the free ones: freeing takes no memory.
    FreeBlocks::node_type place;

    bool is_free() const noexcept { return place.empty(); }
  };
  using Blocks = std::map<Address, Block>;
  using Regions = std::map<Address, Region>;  // by `begin`

  // The caller holds the mutex.
  Status Grow(size_t wanted);
  Status AddRegion(size_t bytes, size_t wanted);
  Status Take(size_t bytes, size_t wanted, Region* region);
  void GiveBackUnused() noexcept;
  void CountUse(size_t bytes) noexcept;
  bool FreeReserved(Address address) noexcept;

  MemorySource& source_;
  const ArenaOptions options_;
  mutable std::mutex mutex_;
  Blocks blocks_;  // all of them; neighbours in a region are neighbours here
  FreeBlocks free_;
  Regions regions_;
  Regions reserved_;
  size_t next_region_;  // how large the next one is meant to be
  ArenaStatistics statistics_;
};

}  // namespace <%= ns %>
