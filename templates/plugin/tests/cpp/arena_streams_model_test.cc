<%= banner %>
// Arenas whose memory queues work on, against a model of both: what is handed out is never in use by
// anything that could be at work at the same time. The addresses are made up: nothing may follow one.
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
#include "queues.h"

namespace <%= ns %>::test {
namespace {

char* Get(Arena& arena, size_t bytes, Stream stream = nullptr) {
  void* address = nullptr;
  CHECK(arena.Allocate(bytes, stream, &address).ok());
  return static_cast<char*>(address);
}

// Who has used which bytes: what is not done yet must be before whoever gets them next.
class Bytes {
 public:
  explicit Bytes(Traffic& traffic) : traffic_(traffic) {}

  void Use(uintptr_t begin, size_t bytes, Stream stream) {
    uses_.push_back({begin, begin + bytes, stream, traffic_.queues.Put(stream)});
  }
  // May `stream` work there from now on; the host, if it is null?
  bool AreSafe(uintptr_t begin, size_t bytes, Stream stream) {
    for (const Interval& use : uses_) {
      if (use.begin >= begin + bytes || use.end <= begin) continue;
      const bool is_safe = stream != nullptr
                               ? traffic_.queues.IsBefore(use.stream, use.item, stream)
                               : traffic_.queues.IsDone(use.stream, use.item);
      if (!is_safe) return false;
    }
    return true;
  }
  void ForgetDone() {
    std::vector<Interval> left;
    for (const Interval& use : uses_) {
      if (!traffic_.queues.IsDone(use.stream, use.item)) left.push_back(use);
    }
    uses_ = std::move(left);
  }
  // What is not the arena's any more is not in use.
  bool AreKept(const Nowhere& source) {
    ForgetDone();
    bool all = true;
    for (const Interval& use : uses_) {
      all = all && source.Covers(reinterpret_cast<void*>(use.begin), use.end - use.begin);
    }
    return all;
  }

 private:
  struct Interval {
    uintptr_t begin;
    uintptr_t end;
    Stream stream;
    Queues::Item item;
  };
  Traffic& traffic_;
  std::vector<Interval> uses_;
};

struct Owned {
  size_t bytes;
  Stream stream;
};

// What has been freed and not been handed out since.
class Idle {
 public:
  explicit Idle(StreamOrder& order) : order_(order) {}

  void Add(uintptr_t begin, const Owned& block) {
    blocks_[begin] = block;
    newest_[block.stream] = order_.Now();
  }
  void Remove(uintptr_t begin, size_t bytes) {
    for (auto block = blocks_.begin(); block != blocks_.end();) {
      const bool is_out = block->first < begin + bytes && begin < block->first + block->second.bytes;
      block = is_out ? blocks_.erase(block) : std::next(block);
    }
  }
  // Is there a block that an arena must find? It may take what it has joined for as new as the
  // newest part of it.
  bool Has(size_t bytes, Stream stream, const Nowhere& source) {
    for (const auto& [begin, block] : blocks_) {
      const bool is_own = stream != nullptr && stream == block.stream;
      const size_t fits = block.bytes / Arena::kAlignment * Arena::kAlignment;
      if (fits >= bytes && source.Covers(reinterpret_cast<void*>(begin), block.bytes) &&
          (is_own || order_.IsAfter(stream, block.stream, newest_[block.stream]))) {
        return true;
      }
    }
    return false;
  }

 private:
  StreamOrder& order_;
  std::map<uintptr_t, Owned> blocks_;
  std::map<Stream, StreamOrder::Moment> newest_;
};

// Whatever queues come, go, wait and are waited for: no bytes are handed out unsafely, no two
// blocks overlap, nothing is taken anew where something is idle, and in the end everything goes
// back.
void TestAgainstModel(unsigned seed, size_t limit) {
  Traffic traffic;
  Nowhere source;
  source.gap = seed % 2 == 0 ? 0 : 24;
  ArenaOptions options = Small();
  options.limit = limit;
  options.largest_rest = seed % 3 == 0 ? 512 : 0;
  {
    Arena arena(source, options, &traffic.order);
    Bytes bytes_of(traffic);
    Idle idle(traffic.order);
    std::mt19937 random(seed);
    std::map<uintptr_t, Owned> owned;
    std::vector<Stream> live{traffic.Open(), traffic.Open(), traffic.Open()};
    std::vector<Traffic::Point> points;
    size_t refused = 0;
    size_t reused = 0;
    for (int step = 0; step < 4000; ++step) {
      const unsigned kind = random() % 64;
      Stream const some = live[random() % live.size()];
      const auto any = [&] {
        return std::next(owned.begin(), static_cast<ptrdiff_t>(random() % owned.size()));
      };
      if (kind < 20 && owned.size() < 40) {
        Stream const stream = kind < 4 ? nullptr : some;
        const size_t bytes = 1 + random() % (random() % 8 == 0 ? 12000 : 3000);
        void* address = nullptr;
        const bool has_idle = idle.Has(bytes, stream, source);
        const size_t extensions = arena.Statistics().extensions;
        const bool is_refused = !arena.Allocate(bytes, stream, &address).ok();
        if (has_idle) CHECK(!is_refused && arena.Statistics().extensions == extensions);
        reused += has_idle ? 1 : 0;
        refused += is_refused ? 1 : 0;
        if (is_refused) continue;
        const auto begin = reinterpret_cast<uintptr_t>(address);
        if (!CHECK(begin != 0 && begin % Arena::kAlignment == 0)) return;
        CHECK(source.Covers(address, bytes));
        const auto after = owned.lower_bound(begin);
        CHECK(after == owned.end() || begin + bytes <= after->first);
        CHECK(after == owned.begin() ||
              std::prev(after)->first + std::prev(after)->second.bytes <= begin);
        if (!CHECK(bytes_of.AreSafe(begin, bytes, stream))) return;
        idle.Remove(begin, bytes);
        owned[begin] = {bytes, stream};
      } else if (kind < 38 && !owned.empty()) {
        const auto victim = any();
        CHECK(arena.Free(reinterpret_cast<void*>(victim->first)));
        CHECK(!arena.Free(reinterpret_cast<void*>(victim->first)));
        idle.Add(victim->first, victim->second);
        owned.erase(victim);
      } else if (kind < 50 && !owned.empty()) {
        const auto block = any();
        Stream const user = block->second.stream != nullptr ? block->second.stream : some;
        bool is_live = false;
        for (Stream each : live) is_live = is_live || each == user;
        if (is_live) bytes_of.Use(block->first, block->second.bytes, user);
      } else if (kind < 54) {
        points.push_back(traffic.Record(some));
        if (points.size() > 8) points.erase(points.begin());
      } else if (kind < 58 && !points.empty()) {
        traffic.WaitOnDevice(some, points[random() % points.size()]);
      } else if (kind == 58) {
        CHECK(traffic.order.Wait(some).ok());
      } else if (kind == 59 && live.size() < 5) {
        live.push_back(traffic.Open());
      } else if (kind == 60 && live.size() > 2) {
        const auto leaver = live.begin() + static_cast<ptrdiff_t>(random() % live.size());
        // A block of a queue that is gone belongs to another one if that has its handle.
        for (auto block = owned.begin(); block != owned.end();) {
          const bool is_its = block->second.stream == *leaver && random() % 2 == 0;
          if (is_its) CHECK(arena.Free(reinterpret_cast<void*>(block->first)));
          block = is_its ? owned.erase(block) : std::next(block);
        }
        traffic.Close(*leaver);
        live.erase(leaver);
      } else if (kind == 61 && random() % 4 == 0) {
        arena.Shrink();
      } else if (kind == 62 && random() % 4 == 0) {
        void* reserved = nullptr;
        if (arena.Reserve(1 + random() % 3000, &reserved).ok()) CHECK(arena.Free(reserved));
      }
      CHECK(bytes_of.AreKept(source));
      const ArenaStatistics counts = arena.Statistics();
      CHECK(counts.in_use <= counts.total && counts.total == source.held && counts.total <= limit);
    }
    CHECK((refused > 0) == (limit < 100000) && reused > 100);
    for (const auto& [begin, block] : owned) CHECK(arena.Free(reinterpret_cast<void*>(begin)));
    CHECK(arena.Statistics().in_use == 0);
    arena.Shrink();
    CHECK(arena.Statistics().total == 0 && source.held == 0);
  }
  CHECK(source.strangers == 0 && traffic.queues.strangers == 0);
}

// With one queue an arena is as good as one that knows nothing of queues, and waits for nothing.
void TestOneQueue(unsigned seed) {
  Traffic traffic;
  Nowhere source;
  Nowhere other_source;
  Arena arena(source, Small(), &traffic.order);
  Arena other(other_source, Small(), nullptr);
  Stream const stream = traffic.Open();
  std::mt19937 random(seed);
  std::vector<std::pair<void*, void*>> pairs;
  for (int step = 0; step < 4000; ++step) {
    if (pairs.size() < 30 && random() % 2 == 0) {
      const size_t bytes = 1 + random() % 6000;
      pairs.emplace_back(Get(arena, bytes, stream), Get(other, bytes));
    } else if (!pairs.empty()) {
      const size_t index = random() % pairs.size();
      CHECK(arena.Free(pairs[index].first) && other.Free(pairs[index].second));
      pairs[index] = pairs.back();
      pairs.pop_back();
    }
  }
  CHECK(traffic.queues.waited.empty());
  CHECK_THAT(source.held <= other_source.held,
             std::to_string(source.held) + " and " + std::to_string(other_source.held));
}

void TestThreads() {
  Traffic traffic;
  Nowhere source;
  ArenaOptions options = Small();
  options.limit = 65536;
  Arena arena(source, options, &traffic.order);
  std::mutex mutex;
  std::map<void*, int> owners;
  Bytes bytes_of(traffic);
  std::vector<Traffic::Point> points;
  std::atomic<int> faults{0};
  std::atomic<int> hazards{0};
  const auto give_back = [&](void* address) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      --owners[address];
    }
    if (!arena.Free(address)) ++faults;
  };
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<void*> mine;
    Stream stream = traffic.Open();
    for (int step = 0; step < 2000; ++step) {
      if (mine.empty() || random() % 2 == 0) {
        void* address = nullptr;
        const size_t bytes = 1 + random() % 4000;
        Stream const wanted = random() % 4 == 0 ? nullptr : stream;
        if (!arena.Allocate(bytes, wanted, &address).ok()) continue;
        mine.push_back(address);
        const auto begin = reinterpret_cast<uintptr_t>(address);
        const std::lock_guard<std::mutex> lock(mutex);
        if (owners[address]++ != 0) ++faults;
        bytes_of.ForgetDone();
        if (!bytes_of.AreSafe(begin, bytes, wanted)) ++hazards;
        bytes_of.Use(begin, bytes, stream);
      } else {
        give_back(mine.back());
        mine.pop_back();
      }
      if (random() % 16 == 0) {
        const std::lock_guard<std::mutex> lock(mutex);
        points.push_back(traffic.Record(stream));
      }
      if (random() % 16 == 0) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!points.empty()) traffic.WaitOnDevice(stream, points[random() % points.size()]);
      }
      if (random() % 256 == 0) arena.Shrink();
      if (random() % 64 == 0) {
        traffic.Close(stream);
        stream = traffic.Open();
      }
    }
    for (void* address : mine) give_back(address);
    traffic.Close(stream);
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
  CHECK_THAT(faults == 0, std::to_string(faults) + " addresses had two owners, or none");
  CHECK_THAT(hazards == 0, std::to_string(hazards) + " times memory was in use by a queue");
  CHECK(arena.Statistics().in_use == 0 && traffic.queues.strangers == 0);
  arena.Shrink();
  CHECK(source.held == 0);
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
  for (unsigned seed = 0; seed < 12; ++seed) {
    TestAgainstModel(seed, seed % 2 == 0 ? SIZE_MAX : 40000);
  }
  for (unsigned seed = 0; seed < 4; ++seed) TestOneQueue(seed);
  TestThreads();
  return Verdict();
}
