<%= banner %>
// Arenas against a model of them. The addresses are made up: nothing may follow one.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "check.h"
#include "gen/memory/arena.h"
#include "nowhere.h"

namespace <%= ns %>::test {
namespace {

<% if streams %>
// Without queues.
class TestedArena : public Arena {
 public:
  TestedArena(MemorySource& source, const ArenaOptions& options) : Arena(source, options, nullptr) {}
  Status Allocate(size_t bytes, void** address) { return Arena::Allocate(bytes, nullptr, address); }
};
<% else %>
using TestedArena = Arena;
<% endif %>

void* Get(TestedArena& arena, size_t bytes) {
  void* address = nullptr;
  CHECK(arena.Allocate(bytes, &address).ok());
  return address;
}

// Whatever is allocated and freed: blocks are aligned, lie in memory that was taken, and do not
// overlap; the statistics are those of the model.
void TestAgainstModel(const ArenaOptions& options, uintptr_t start, unsigned seed) {
  Nowhere source;
  source.StartAt(start);
  source.gap = seed % 2 == 0 ? 0 : 24;  // neighbours, and regions that are not aligned
  {
    TestedArena arena(source, options);
    std::mt19937 random(seed);
    std::map<uintptr_t, size_t> live;
    size_t allocations = 0;
    size_t reserves = 0;
    for (int step = 0; step < 3000; ++step) {
      const unsigned kind = random() % 16;
      if (kind < 8 || live.empty()) {
        const size_t bytes = 1 + random() % (random() % 8 == 0 ? 40000 : 3000);
        void* address = nullptr;
        const bool outside = kind == 0;
        CHECK((outside ? arena.Reserve(bytes, &address) : arena.Allocate(bytes, &address)).ok());
        ++(outside ? reserves : allocations);
        const auto begin = reinterpret_cast<uintptr_t>(address);
        if (!CHECK(begin != 0 && begin % Arena::kAlignment == 0)) return;
        CHECK(source.Covers(address, bytes));
        const auto after = live.lower_bound(begin);
        CHECK(after == live.end() || begin + bytes <= after->first);
        CHECK(after == live.begin() || std::prev(after)->first + std::prev(after)->second <= begin);
        live[begin] = bytes;
      } else if (kind < 15) {
        const auto victim = std::next(live.begin(), static_cast<ptrdiff_t>(random() % live.size()));
        CHECK(arena.Free(reinterpret_cast<void*>(victim->first)));
        CHECK(!arena.Free(reinterpret_cast<void*>(victim->first)));
        live.erase(victim);
      } else {
        arena.Shrink();
      }
      size_t least = 0;
      for (const auto& [begin, bytes] : live) least += bytes;
      const ArenaStatistics counts = arena.Statistics();
      CHECK(counts.in_use >= least && counts.in_use <= counts.most_in_use);
      CHECK(counts.in_use <= counts.total && counts.total == source.held);
      CHECK(counts.allocations == allocations && counts.reserves == reserves);
    }
    for (const auto& [begin, bytes] : live) CHECK(arena.Free(reinterpret_cast<void*>(begin)));
    CHECK(arena.Statistics().in_use == 0);
    arena.Shrink();
    CHECK(arena.Statistics().total == 0 && source.held == 0);
    void* kept = nullptr;
    CHECK(arena.Reserve(100, &kept).ok());
    Get(arena, 100);
  }
  CHECK(source.held == 0 && source.strangers == 0);  // at the end everything goes back
}

// The smallest block that is large enough is taken, split, and joined again.
void TestBestFit() {
  Nowhere source;
  ArenaOptions options = Small();
  TestedArena arena(source, options);
  std::vector<char*> blocks;
  for (const size_t bytes : {1024U, 256U, 512U, 256U, 2048U}) {
    blocks.push_back(static_cast<char*>(Get(arena, bytes)));
  }
  CHECK(source.calls == 1);  // 4096 bytes are enough for all of them
  CHECK(arena.Free(blocks[0]) && arena.Free(blocks[2]));
  CHECK(Get(arena, 300) == blocks[2]);
  CHECK(Get(arena, 256) == blocks[0]);
  CHECK(Get(arena, 768) == blocks[0] + 256);
  CHECK(arena.Free(blocks[0]) && arena.Free(blocks[1]) && arena.Free(blocks[0] + 256));
  CHECK(Get(arena, 1280) == blocks[0]);
  CHECK(source.calls == 1);
  CHECK(arena.Statistics().largest == 2048);
}

// Neighbours are joined within a region only: each must be able to go back.
void TestShrink() {
  Nowhere source;
  TestedArena arena(source, Small());
  void* const first = Get(arena, 4096);
  void* const second = Get(arena, 8192);
  CHECK(source.count() == 2 && arena.Statistics().extensions == 2);
  CHECK(static_cast<char*>(first) + 4096 == second);  // one behind the other
  CHECK(arena.Free(second));
  arena.Shrink();
  CHECK(source.count() == 1 && arena.Statistics().shrinkages == 1);
  arena.Shrink();
  CHECK(arena.Statistics().shrinkages == 1);
  void* const third = Get(arena, 8192);
  CHECK(arena.Free(third) && arena.Free(first));
  arena.Shrink();
  CHECK(source.count() == 0 && arena.Statistics().shrinkages == 3);
  CHECK(arena.Statistics().total == 0);
  void* const kept = Get(arena, 1);
  arena.Shrink();
  CHECK(source.count() == 1 && arena.Free(kept));
}

void TestGrowth() {
  Nowhere source;
  TestedArena doubling(source, Small());
  for (const size_t expected : {4096U, 8192U, 16384U, 32768U, 65536U, 65536U}) {
    const size_t before = source.held;
    Get(doubling, 256);
    CHECK(source.held - before == expected);
    Get(doubling, expected - 256);
  }
  const size_t before = source.held;
  Get(doubling, 100000);
  CHECK(source.held - before == 100096);  // rounded, no more: beyond what sizes double up to

  Nowhere exact_source;
  ArenaOptions options;
  options.exact = true;
  TestedArena exact(exact_source, options);
  Get(exact, 1000);
  CHECK(exact_source.held == 1024);

  // A rest that may stay unused stays with the block.
  Nowhere wasteful_source;
  options = Small();
  options.largest_rest = 1024;
  TestedArena wasteful(wasteful_source, options);
  Get(wasteful, 3584);
  CHECK(wasteful.Statistics().in_use == 4096);
}

void TestLimits() {
  Nowhere source;
  ArenaOptions options = Small();
  options.limit = 10000;
  TestedArena arena(source, options);
  void* const first = Get(arena, 2048);
  void* const second = Get(arena, 4096);  // the next region would be of 8192: as much as is left
  CHECK(source.held <= options.limit);
  void* address = &source;
  const Status refused = arena.Allocate(8192, &address);
  CHECK(!refused.ok() && address == nullptr);
  CHECK(std::string(refused.message()).find("limit of 10000") != std::string::npos);
  CHECK(!arena.Reserve(8192, &address).ok());
  CHECK(arena.Free(first) && arena.Free(second));
  CHECK(arena.Allocate(9000, &address).ok());  // what lies idle makes way
  CHECK(source.held <= options.limit && arena.Free(address));
  CHECK(arena.Reserve(9000, &address).ok());
  CHECK(source.held <= options.limit && arena.Free(address));

  // The source has less than the policy would like.
  Nowhere narrow;
  narrow.capacity = 5000;
  TestedArena modest(narrow, Small());
  void* const block = Get(modest, 256);
  CHECK(modest.Allocate(512, &address).ok() && modest.Free(address));
  CHECK(!modest.Allocate(4096, &address).ok());
  CHECK(modest.Free(block) && modest.Allocate(4608, &address).ok());
  CHECK(narrow.held <= narrow.capacity);

  // What lies idle is given back only where nothing else helps.
  Nowhere enough;
  enough.capacity = 9000;
  TestedArena patient(enough, Small());
  CHECK(patient.Free(Get(patient, 4096)));
  Get(patient, 4608);  // the next region would be of 8192
  CHECK(enough.count() == 2 && patient.Statistics().shrinkages == 0);
}

void TestOddSizes() {
  Nowhere source;
  TestedArena arena(source, ArenaOptions());
  void* address = &source;
  CHECK(arena.Allocate(0, &address).ok() && address == nullptr);
  address = &source;
  CHECK(arena.Reserve(0, &address).ok() && address == nullptr);
  source.capacity = 1 << 20;
  for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 255, SIZE_MAX - 256, SIZE_MAX / 2 + 1}) {
    CHECK(!arena.Allocate(bytes, &address).ok() && address == nullptr);
    CHECK(!arena.Reserve(bytes, &address).ok() && address == nullptr);
  }
  CHECK(source.held == 0 && arena.Statistics().total == 0);
}

// What is not allocated is not freed, and does no harm.
void TestHostileFrees() {
  Nowhere source;
  TestedArena arena(source, Small());
  TestedArena other(source, Small());
  char* const block = static_cast<char*>(Get(arena, 1000));
  char* const next = static_cast<char*>(Get(arena, 1000));
  void* reserved = nullptr;
  CHECK(arena.Reserve(1000, &reserved).ok());
  CHECK(arena.Free(nullptr));
  for (void* stranger : {static_cast<void*>(&source), static_cast<void*>(block + 1),
                         static_cast<void*>(block + 256), static_cast<void*>(next + 1024),
                         reinterpret_cast<void*>(UINTPTR_MAX), Get(other, 10)}) {
    CHECK(!arena.Free(stranger));
  }
  const size_t used = arena.Statistics().in_use;
  CHECK(arena.Free(block) && !arena.Free(block) && !arena.Free(block));
  CHECK(arena.Statistics().in_use == used - 1024);
  CHECK(arena.Free(reserved) && !arena.Free(reserved));
  CHECK(arena.Free(next) && !arena.Free(next) && arena.Statistics().in_use == 0);
  CHECK(Get(arena, 4096) == block && source.strangers == 0);
}

void TestThreads() {
  Nowhere source;
  TestedArena arena(source, Small());
  std::mutex mutex;
  std::map<void*, int> owners;
  std::atomic<int> doubles{0};
  const auto give_back = [&](void* address) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      --owners[address];
    }
    if (!arena.Free(address)) ++doubles;
  };
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<void*> mine;
    for (int step = 0; step < 2000; ++step) {
      if (mine.empty() || random() % 2 == 0) {
        void* address = nullptr;
        const size_t bytes = 1 + random() % 5000;
        const bool outside = random() % 8 == 0;
        if (!(outside ? arena.Reserve(bytes, &address) : arena.Allocate(bytes, &address)).ok()) {
          ++doubles;
          continue;
        }
        mine.push_back(address);
        const std::lock_guard<std::mutex> lock(mutex);
        if (owners[address]++ != 0) ++doubles;
      } else {
        give_back(mine.back());
        mine.pop_back();
      }
      if (step % 64 == 0) arena.Shrink();
      (void)arena.Statistics();
    }
    for (void* address : mine) give_back(address);
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
  CHECK_THAT(doubles == 0, std::to_string(doubles) + " addresses had two owners, or none");
  CHECK(arena.Statistics().in_use == 0);
  arena.Shrink();
  CHECK(source.held == 0);
}

void TestOptions() {
  ArenaOptions options;
  const auto set = [&](const char* key, const char* value) {
    return std::string(SetArenaOption(key, value, &options).message());
  };
  CHECK(set("arena.max_mem", "1000").empty() && options.limit == 1000);
  CHECK(set("arena.max_mem", "0").empty() && options.limit == SIZE_MAX);
  CHECK(set("arena.extend_strategy", "1").empty() && options.exact);
  CHECK(set("arena.extend_strategy", "-1").empty() && !options.exact);
  CHECK(set("arena.initial_chunk_size_bytes", "512").empty() && options.first_region == 512);
  CHECK(set("arena.initial_growth_chunk_size_bytes", "7").empty() && options.next_region == 7);
  CHECK(set("arena.max_power_of_two_extend_bytes", "9").empty() && options.largest_region == 9);
  CHECK(set("arena.max_dead_bytes_per_chunk", "0").empty() && options.largest_rest == 0);
  CHECK(!(options == ArenaOptions()));
  for (const char* key : {"arena.initial_chunk_size_bytes", "arena.initial_growth_chunk_size_bytes",
                          "arena.max_power_of_two_extend_bytes", "arena.max_dead_bytes_per_chunk"}) {
    CHECK(set(key, "-1").empty());
  }
  CHECK(options == ArenaOptions());
  for (const char* value : {"", "x", "1x", " 1", "-2", "1.5", "99999999999999999999"}) {
    const std::string error = set("arena.max_mem", value);
    CHECK_THAT(error.find("arena.max_mem: '" + std::string(value) + "'") == 0, error);
  }
  CHECK(!set("arena.extend_strategy", "2").empty() && !set("arena.initial_chunk_size_bytes", "0").empty());
  const std::string unknown = set("arena.max_memory", "1");
  CHECK_THAT(unknown.find("'arena.max_memory'") == 0, unknown);
  CHECK_THAT(unknown.find("arena.max_mem,") != std::string::npos, unknown);
  CHECK(options == ArenaOptions());

  // Odd, but legal: nothing overflows and nothing loops for ever.
  Nowhere source;
  options.first_region = options.next_region = options.largest_region = 1;
  TestedArena arena(source, options);
  CHECK(Get(arena, 1000) != nullptr && source.held == 1024);
  source.capacity = 1 << 20;
  options.first_region = options.next_region = options.largest_region = SIZE_MAX;
  TestedArena vast(source, options);
  CHECK(Get(vast, 1000) != nullptr);
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
  for (unsigned seed = 0; seed < 4; ++seed) TestAgainstModel(Small(), 1 << 20, seed);
  <%= ns %>::ArenaOptions exact;
  exact.exact = true;
  TestAgainstModel(exact, (1 << 20) + 8, 4);
  TestAgainstModel(Small(), (1 << 20) + 40, 5);
  TestBestFit();
  TestShrink();
  TestGrowth();
  TestLimits();
  TestOddSizes();
  TestHostileFrees();
  TestThreads();
  TestOptions();
  return Verdict();
}
