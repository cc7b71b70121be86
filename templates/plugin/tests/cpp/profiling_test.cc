<%= banner %>
// What kernels do, within the events of a profile.
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "gen/profiling/event_sink.h"

namespace <%= ns %>::test {
namespace {

using std::chrono::microseconds;
using Moment = ProfilingClock::time_point;

Activity Lasting(const std::string& node, Moment begin, int64_t us) {
  return {"Relu", node, begin, begin + microseconds(us)};
}

void TestTimes() {
  Recording recording;
  const Moment before = ProfilingClock::now();
  recording.Start(5000000);  // the profile is 5 ms old
  const Moment after = ProfilingClock::now();
  recording.Open(1);
  recording.Add(Lasting("n", before + microseconds(100), 20));
  recording.Close(1, {"n_kernel_time", 0, 1000000});
  const std::vector<KernelEvent> events = recording.Take();
  if (!CHECK(events.size() == 1)) return;
  const int64_t slack = std::chrono::duration_cast<microseconds>(after - before).count() + 1;
  CHECK(events[0].begin_us <= 5100 && events[0].begin_us >= 5100 - slack);
  CHECK(events[0].duration_us >= 19 && events[0].duration_us <= 21);
  CHECK(events[0].op == "Relu" && events[0].node == "n");
  CHECK(events[0].parent == "n_kernel_time");
  CHECK(events[0].thread == ThreadNumber());
  CHECK(recording.Take().empty());
}

// ORT reads its clock before it calls Open and before it calls Close, and rounds: a kernel may seem
// to begin before its parent, or to end after it.
void TestClampsIntoTheParent() {
  const Moment now = ProfilingClock::now();
  Recording recording;
  recording.Start(0);
  recording.Open(1);
  recording.Add(Lasting("early", now - microseconds(900000), 1000));
  recording.Add(Lasting("late", now + microseconds(900000), 1000));
  recording.Add(Lasting("long", now - microseconds(900000), 1800000));
  recording.Close(1, {"parent", 100, 50});
  const std::vector<KernelEvent> events = recording.Take();
  if (!CHECK(events.size() == 3)) return;
  CHECK(events[0].begin_us == 100 && events[0].duration_us == 0);
  CHECK(events[1].begin_us == 150 && events[1].duration_us == 0);
  CHECK(events[2].begin_us == 100 && events[2].duration_us == 50);
}

void TestNesting() {
  const Moment now = ProfilingClock::now();
  Recording recording;
  recording.Start(0);
  recording.Add(Lasting("nobody's", now, 1));
  recording.Open(7);
  recording.Open(7);  // began in the same microsecond
  recording.Add(Lasting("inner", now, 1));
  recording.Close(7, {"inner parent", 0, 1});
  recording.Add(Lasting("outer", now, 1));
  recording.Close(8, {"unknown", 0, 1});
  recording.Open(9);
  recording.Add(Lasting("lost with its parent", now, 1));
  recording.Close(7, {"outer parent", 0, 1});
  recording.Add(Lasting("nobody's", now, 1));
  recording.Open(10);
  recording.Add(Lasting("open at the end", now, 1));
  const std::vector<KernelEvent> events = recording.Take();
  if (!CHECK(events.size() == 2)) return;
  CHECK(events[0].node == "inner" && events[0].parent == "inner parent");
  CHECK(events[1].node == "outer" && events[1].parent == "outer parent");
  recording.Close(10, {"after the end", 0, 1});
  CHECK(recording.Take().empty());
}

// Runs on threads of their own, each with a profile of its own, and one profile of them all.
void TestThreads() {
  constexpr int kThreads = 4;
  constexpr int kEvents = 500;
  EventSink sink;
  CHECK(!sink.wanted());
  Recording every;
  every.Start(0);
  sink.Attach(&every);
  sink.Attach(&every);  // once is enough
  std::vector<Recording> each(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Recording& own = each[static_cast<size_t>(thread)];
      const std::string op = "Mul";
      const std::string node = "m" + std::to_string(thread);
      for (int i = 0; i < kEvents; ++i) {
        const auto id = static_cast<uint64_t>(i);
        own.Start(0);
        sink.Attach(&own);
        own.Open(id);
        every.Open(id);
        { const EventScope scope(&sink, op, node); }
        every.Close(id, {node, 0, 1});
        own.Close(id, {node, 0, 1});
        sink.Detach(&own);
        const std::vector<KernelEvent> events = own.Take();
        if (events.size() != 1 || events[0].node != node) CHECK(false);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  sink.Detach(&every);
  CHECK(!sink.wanted());
  const std::vector<KernelEvent> events = every.Take();
  CHECK(events.size() == size_t{kThreads} * kEvents);
  for (const KernelEvent& event : events) {
    if (event.node != event.parent) CHECK(false);
  }
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;
  TestTimes();
  TestClampsIntoTheParent();
  TestNesting();
  TestThreads();
  return Verdict();
}
