<%= banner %>
// Arenas whose memory queues work on, case by case. The addresses are made up: nothing may follow
// one.
#include <cstddef>
#include <set>
#include <string>
#include <thread>
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

// What is free serves its queue at once, and others as soon as that is safe.
void TestWhoMayHaveIt() {
  Traffic traffic;
  Nowhere source;
  ArenaOptions options;
  options.exact = true;
  Arena arena(source, options, &traffic.order);
  Stream const first = traffic.Open();
  Stream const second = traffic.Open();
  char* const block = Get(arena, 1024, first);
  CHECK(arena.Free(block) && Get(arena, 1024, first) == block);
  CHECK(arena.Free(block));
  char* const other = Get(arena, 1024, second);
  CHECK(other != block && arena.Statistics().extensions == 2);
  char* const host = Get(arena, 1024);
  CHECK(host != block && arena.Statistics().extensions == 3);
  // Behind it in the other queue, though not for the host.
  const Traffic::Point point = traffic.Record(first);
  traffic.WaitOnDevice(second, point);
  char* const another = Get(arena, 1024);
  CHECK(another != block && arena.Statistics().extensions == 4);
  CHECK(Get(arena, 1024, second) == block);
  CHECK(arena.Free(block) && arena.Free(other));
  // The first queue does not wait for the second one.
  CHECK(Get(arena, 1024, first) != block && arena.Statistics().extensions == 5);
  CHECK(traffic.order.Wait(second).ok());
  char* const third = Get(arena, 1024);
  char* const fourth = Get(arena, 1024, first);
  CHECK(third != fourth && (third == block || third == other));
  CHECK(fourth == block || fourth == other);
  CHECK(arena.Statistics().extensions == 5);
  // What was for no queue may be in use by any.
  CHECK(arena.Free(host) && arena.Free(another));
  CHECK(Get(arena, 1024, first) != host && arena.Statistics().extensions == 6);
  CHECK(traffic.order.Wait(first).ok() && arena.Statistics().extensions == 6);
  char* const fifth = Get(arena, 1024, second);
  CHECK(fifth == host || fifth == another);
  CHECK(arena.Statistics().extensions == 6);
  CHECK(traffic.order.Wait(second).ok());
  Get(arena, 1024);
  CHECK(arena.Statistics().extensions == 6);
  // A queue that is gone has left nothing to do.
  CHECK(arena.Free(fourth) && arena.Free(fifth));
  traffic.Close(first);
  traffic.Close(second);
  Get(arena, 1024);
  Get(arena, 1024);
  CHECK(arena.Statistics().extensions == 6);
}

// Neighbours of several queues are one block as soon as that is so for who asks.
void TestJoins() {
  Traffic traffic;
  Nowhere source;
  Arena arena(source, Small(), &traffic.order);
  Stream const first = traffic.Open();
  Stream const second = traffic.Open();
  char* const left = Get(arena, 1024, first);
  char* const middle = Get(arena, 1024, second);
  char* const right = Get(arena, 2048, first);
  CHECK(source.count() == 1 && middle == left + 1024 && right == middle + 1024);
  CHECK(arena.Free(left) && arena.Free(middle) && arena.Free(right));
  CHECK(Get(arena, 2048, first) == right);
  CHECK(arena.Free(right));
  // The second queue comes after the first: all of it serves the second, but not the first.
  const Traffic::Point point = traffic.Record(first);
  traffic.WaitOnDevice(second, point);
  CHECK(Get(arena, 3072, second) == left && source.count() == 1);
  // What is left over is the first one's still, and not the host's.
  CHECK(Get(arena, 1024, first) == left + 3072);
  CHECK(arena.Free(left + 3072));
  char* const host = Get(arena, 1024);
  CHECK(host != left + 3072 && source.count() == 2);
  CHECK(arena.Free(host) && arena.Free(left));
  CHECK(traffic.order.WaitForAll().ok());
  CHECK(Get(arena, 8192) != nullptr);  // the second region
  CHECK(Get(arena, 4096) == left && source.count() == 2);
  CHECK(traffic.queues.waited.size() == 2);
}

// Where there is no more memory, waiting for a queue is the way: for the one that has the memory.
void TestLimits() {
  for (const bool is_limit : {true, false}) {
    Traffic traffic;
    Nowhere source;
    ArenaOptions options = Small();
    if (is_limit) options.limit = 4096;
    source.capacity = 4096;
    Arena arena(source, options, &traffic.order);
    Stream const first = traffic.Open();
    Stream const second = traffic.Open();
    Stream const third = traffic.Open();
    char* const large = Get(arena, 2048, first);
    char* const small = Get(arena, 1024, second);
    char* const last = Get(arena, 1024, third);
    CHECK(arena.Free(small) && arena.Free(large) && arena.Free(last));
    CHECK(Get(arena, 1024, third) == last && traffic.queues.waited.empty());
    CHECK(Get(arena, 2048, third) == large);
    CHECK(traffic.queues.waited == std::vector<Stream>{first});
    CHECK(arena.Free(large));
    // In pieces of several queues.
    CHECK(Get(arena, 3072, second) == large);
    CHECK(arena.Free(large) && arena.Free(last));
    CHECK(Get(arena, 4096, first) == large);
    traffic.queues.waited.clear();
    void* address = &source;
    CHECK(!arena.Allocate(256, first, &address).ok() && address == nullptr);
    CHECK(traffic.queues.waited.empty());
    CHECK(arena.Free(large));
    // A reservation wants a region of its own.
    CHECK(arena.Reserve(2048, &address).ok() && arena.Free(address));
    CHECK(traffic.queues.waited == std::vector<Stream>{first});
    CHECK(arena.Statistics().total == 0 && source.held == 0);
    CHECK(arena.Statistics().extensions == 1);
  }
  // Errors of the work are for who waits for that.
  Traffic traffic;
  Nowhere source;
  source.capacity = 4096;
  Arena arena(source, Small(), &traffic.order);
  Stream const first = traffic.Open();
  CHECK(arena.Free(Get(arena, 4096, first)));
  traffic.queues.Fail(first, "broken");
  Get(arena, 4096);
  CHECK(std::string(traffic.order.Wait(first).message()) == "broken");
}

// Giving back waits for who may use it still; what a block was for is forgotten then.
void TestShrink() {
  Traffic traffic;
  Nowhere source;
  Arena arena(source, Small(), &traffic.order);
  Stream const first = traffic.Open();
  Stream const second = traffic.Open();
  char* const one = Get(arena, 1024, first);
  char* const two = Get(arena, 3072, second);
  char* const kept = Get(arena, 8192, second);
  CHECK(source.count() == 2);
  arena.Shrink();
  CHECK(source.count() == 2 && traffic.queues.waited.empty());
  CHECK(arena.Free(one) && arena.Free(two));
  arena.Shrink();
  CHECK(source.count() == 1 && arena.Statistics().shrinkages == 1);
  CHECK(traffic.queues.waited.size() == 2);
  CHECK(arena.Free(kept));
  arena.Shrink();
  CHECK(source.count() == 0 && arena.Statistics().total == 0);
}

// What is allocated for no queue and freed, again and again, while nobody waits for any.
void TestWaste() {
  Traffic traffic;
  Nowhere source;
  Arena arena(source, Small(), &traffic.order);
  traffic.Open();
  Stream const busy = traffic.Open();
  std::set<char*> blocks;
  for (int i = 0; i < 1000; ++i) {
    char* const block = Get(arena, 4096);
    blocks.insert(block);
    traffic.queues.Put(busy);
    CHECK(arena.Free(block));
  }
  CHECK_THAT(source.held <= 32768, std::to_string(source.held) + " bytes for one block of 4096");
  CHECK(blocks.size() > 1);
  CHECK(!traffic.queues.waited.empty() && traffic.queues.waited.size() <= 1000);
}

// While the arena waits for a queue, it serves others.
void TestServesWhileItWaits() {
  Traffic traffic;
  Nowhere source;
  source.capacity = 8192;
  Arena arena(source, Small(), &traffic.order);
  Stream const first = traffic.Open();
  Stream const second = traffic.Open();
  char* const kept = Get(arena, 1024, second);
  char* const block = Get(arena, 3072, first);
  std::vector<void*> meanwhile;
  traffic.queues.while_waiting = [&](Stream) {
    std::thread other([&] {
      void* address = nullptr;
      if (arena.Allocate(256, second, &address).ok()) meanwhile.push_back(address);
      (void)arena.Statistics();
    });
    other.join();
  };
  CHECK(arena.Free(block));
  CHECK(arena.Free(Get(arena, 4096, second)));
  arena.Shrink();
  CHECK(!meanwhile.empty());
  const size_t before = meanwhile.size();
  void* address = nullptr;
  CHECK(!arena.Allocate(8192, first, &address).ok());
  CHECK(!arena.Reserve(8192, &address).ok());
  for (void* each : meanwhile) CHECK(arena.Free(each));
  CHECK(before > 0 && arena.Free(kept));
  traffic.queues.while_waiting = nullptr;
  arena.Shrink();
  CHECK(source.held == 0);
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
  TestWhoMayHaveIt();
  TestJoins();
  TestLimits();
  TestShrink();
  TestWaste();
  TestServesWhileItWaits();
  return Verdict();
}
