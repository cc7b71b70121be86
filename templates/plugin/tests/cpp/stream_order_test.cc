<%= banner %>
// What is known about the order of queues, against queues that know it themselves.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "queues.h"

namespace <%= ns %>::test {
namespace {

// An item of a queue, and the moment behind it; or the last items of all queues, of the null one.
struct Mark {
  Stream stream;
  StreamOrder::Moment moment;
  Queues::Clock items;
};

Mark MakeMark(Traffic& traffic, const std::vector<Stream>& live, Stream stream) {
  Mark mark{stream, 0, {}};
  for (Stream each : live) {
    if (stream == nullptr || stream == each) mark.items[each] = traffic.queues.Put(each);
  }
  mark.moment = traffic.order.Now();
  return mark;
}

// Neither more nor less is known than is so, whatever waits for whatever: events are waited for
// late, and more than once.
void TestAgainstModel(unsigned seed) {
  Traffic traffic;
  std::mt19937 random(seed);
  const auto pick = [&](const auto& some) { return some[random() % some.size()]; };
  std::vector<Stream> live{traffic.Open(), traffic.Open()};
  std::vector<Traffic::Point> points;
  std::vector<Mark> marks;
  for (int step = 0; step < 3000; ++step) {
    const unsigned kind = random() % 64;
    if (kind < 24) {
      marks.push_back(MakeMark(traffic, live, kind == 0 ? nullptr : pick(live)));
      if (marks.size() > 24) marks.erase(marks.begin());
    } else if (kind < 40) {
      points.push_back(traffic.Record(pick(live)));
      if (points.size() > 8) points.erase(points.begin());
    } else if (kind < 56 && !points.empty()) {
      traffic.WaitOnDevice(pick(live), pick(points));
    } else if (kind == 56 && !points.empty()) {
      traffic.WaitOnHost(pick(points));
    } else if (kind == 57) {
      CHECK(traffic.order.Wait(pick(live)).ok());
    } else if (kind == 58) {
      traffic.order.Settle(pick(live));
    } else if (kind == 59 && random() % 4 == 0) {
      CHECK(traffic.order.WaitForAll().ok());
    } else if (kind == 60 && live.size() < 5) {
      live.push_back(traffic.Open());
    } else if (kind == 61 && live.size() > 2) {
      const auto leaver = live.begin() + static_cast<ptrdiff_t>(random() % live.size());
      traffic.Close(*leaver);  // what was recorded there may be waited for still
      live.erase(leaver);
    }
    for (const Mark& mark : marks) {
      bool is_done = true;
      for (const auto& [stream, item] : mark.items) {
        is_done = is_done && traffic.queues.IsDone(stream, item);
      }
      if (!CHECK(traffic.order.IsDone(mark.stream, mark.moment) == is_done)) return;
      for (Stream later : live) {
        bool is_after = true;
        for (const auto& [stream, item] : mark.items) {
          is_after = is_after && traffic.queues.IsBefore(stream, item, later);
        }
        if (!CHECK(traffic.order.IsAfter(later, mark.stream, mark.moment) == is_after)) return;
      }
      CHECK(traffic.order.IsAfter(nullptr, mark.stream, mark.moment) == is_done);
    }
  }
  CHECK(traffic.queues.strangers == 0);
}

// An event tells what its queue came after when it was recorded, not what it comes after now.
void TestOldEvents() {
  Traffic traffic;
  Stream const first = traffic.Open();
  Stream const second = traffic.Open();
  Stream const third = traffic.Open();
  traffic.queues.Put(second);
  const Traffic::Point old = traffic.Record(second);
  const Traffic::Point work = traffic.Record(first);
  traffic.WaitOnDevice(second, work);
  traffic.WaitOnDevice(third, old);
  CHECK(traffic.order.IsAfter(second, first, work.moment));
  CHECK(traffic.order.IsAfter(third, second, old.moment));
  CHECK(!traffic.order.IsAfter(third, first, work.moment));
  traffic.WaitOnDevice(third, traffic.Record(second));
  CHECK(traffic.order.IsAfter(third, first, work.moment));
  CHECK(!traffic.order.IsAfter(third, first, traffic.order.Now()));
  // So much is known that some of it is forgotten: never too much is believed then.
  std::vector<Traffic::Point> points;
  std::vector<StreamOrder::Moment> moments;
  for (int i = 0; i < 100; ++i) {
    const Traffic::Point point = traffic.Record(first);
    traffic.WaitOnDevice(second, point);
    moments.push_back(point.moment);
    points.push_back(traffic.Record(second));
  }
  Stream const fourth = traffic.Open();
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    traffic.WaitOnDevice(fourth, points[i]);
    CHECK(!traffic.order.IsAfter(fourth, first, moments[i + 1]));
  }
  CHECK(traffic.order.IsAfter(fourth, first, moments[moments.size() - 2]));
}

// A queue that nobody uses is empty, and nobody touches it.
void TestStrangers() {
  Traffic traffic;
  StreamOrder& order = traffic.order;
  int place = 0;
  Stream const stranger = &place;
  CHECK(order.IsDone(stranger, order.Now()) && order.IsDone(nullptr, order.Now()));
  CHECK(order.IsAfter(stranger, nullptr, order.Now()));
  CHECK(order.Wait(stranger).ok() && order.Wait(nullptr).ok() && order.WaitForAll().ok());
  order.Settle(stranger);
  order.SetDone(stranger, order.Now());
  order.Remove(stranger);
  order.Add(nullptr);
  CHECK(traffic.queues.waited.empty());

  Stream const stream = traffic.Open();
  order.SetAfter(stream, stranger, order.Now());
  order.SetAfter(stranger, stream, order.Now());
  order.SetAfter(stream, stream, order.Now());
  CHECK(!order.IsAfter(stranger, stream, order.Now()));
  CHECK(order.IsAfter(stream, stream, order.Now()) && order.IsAfter(stream, nullptr, order.Now()));
  // What nobody can know yet is not known later, either.
  order.SetDone(stream, UINT64_MAX);
  CHECK(!order.IsDone(stream, order.Now()));
  Stream const other = traffic.Open();
  order.SetAfter(other, stream, UINT64_MAX);
  CHECK(!order.IsAfter(other, stream, order.Now()));

  order.Add(stream);
  order.Remove(stream);
  CHECK(!order.IsDone(stream, order.Now()));
  CHECK(order.Wait(stream).ok() && traffic.queues.waited == std::vector<Stream>{stream});
  order.Remove(stream);
  order.Remove(stream);
  CHECK(order.IsDone(stream, order.Now()) && !order.IsDone(nullptr, order.Now()));
  CHECK(order.IsAfter(other, stream, order.Now()));
}

// What comes while somebody waits need not be done when the waiting ends.
void TestWorkWhileWaiting() {
  Traffic traffic;
  Stream const stream = traffic.Open();
  const StreamOrder::Moment before = traffic.order.Now();
  StreamOrder::Moment meanwhile = 0;
  traffic.queues.while_waiting = [&](Stream) { meanwhile = traffic.order.Now(); };
  CHECK(traffic.order.Wait(stream).ok());
  CHECK(meanwhile > before && traffic.order.IsDone(stream, before));
  CHECK(!traffic.order.IsDone(stream, meanwhile));
}

// Every error is told once, to somebody whom it concerns.
void TestErrors() {
  Traffic traffic;
  StreamOrder& order = traffic.order;
  Stream const first = traffic.Open();
  Stream const second = traffic.Open();
  const auto text = [](const Status& status) { return std::string(status.message()); };
  traffic.queues.Fail(first, "one");
  const StreamOrder::Moment moment = order.Now();
  order.Settle(first);
  CHECK(order.IsDone(first, moment));  // whether or not it has failed
  order.Settle(nullptr);
  CHECK(order.Wait(second).ok());
  traffic.queues.Fail(first, "two");
  CHECK(text(order.Wait(first)) == "one" && order.Wait(first).ok());
  traffic.queues.Fail(first, "three");
  traffic.queues.Fail(second, "four");
  const std::string told = text(order.WaitForAll());
  CHECK(told == "three" || told == "four");
  CHECK(text(order.Wait(told == "three" ? second : first)) == (told == "three" ? "four" : "three"));
  CHECK(order.WaitForAll().ok());
  traffic.queues.Fail(second, "five");
  CHECK(text(order.Wait(nullptr)) == "five");
}

// A queue does not go while somebody waits for it.
void TestThreads() {
  Traffic traffic;
  std::atomic<int> failures{0};
  const auto come_and_go = [&] {
    for (int i = 0; i < 1000; ++i) {
      Stream const stream = traffic.Open();
      const StreamOrder::Moment moment = traffic.order.Now();
      if (!traffic.order.Wait(stream).ok() || !traffic.order.IsDone(stream, moment)) ++failures;
      traffic.order.Remove(stream);
      traffic.queues.DestroyStream(stream);
    }
  };
  const auto wait = [&] {
    for (int i = 0; i < 1000; ++i) {
      (void)traffic.order.WaitForAll();
      traffic.order.Settle(reinterpret_cast<Stream>(uintptr_t{16}));
      traffic.order.SetAfter(reinterpret_cast<Stream>(uintptr_t{16}),
                             reinterpret_cast<Stream>(uintptr_t{32}), traffic.order.Now());
      (void)traffic.order.IsAfter(nullptr, nullptr, traffic.order.Now());
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back(wait);
  threads.emplace_back(wait);
  threads.emplace_back(come_and_go);
  come_and_go();
  for (std::thread& thread : threads) thread.join();
  CHECK_THAT(failures == 0, std::to_string(failures) + " times a queue was not done");
  CHECK_THAT(traffic.queues.strangers == 0,
             "a queue that was gone was waited for " + std::to_string(traffic.queues.strangers) +
                 " times");
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
  for (unsigned seed = 0; seed < 8; ++seed) TestAgainstModel(seed);
  TestOldEvents();
  TestStrangers();
  TestWorkWhileWaiting();
  TestErrors();
  TestThreads();
  return Verdict();
}
