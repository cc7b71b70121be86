<%= banner %>
// What device/runtime.h promises, without ONNX Runtime. Gates hold queues where a test wants them,
// so that no check depends on how fast anything is.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "device/runtime.h"
#include "device_harness.h"

namespace <%= ns %>::test {
namespace {

void TestWorkIsDoneInOrderAndLate() {
  Log log;  // outlives the device, which works to its end
  Device device;
  Gate gate(*device, device.first);
  for (int i = 0; i < 5; ++i) IsOk(device->Launch(device.first, log.Adds(i)));
  device.Tick();
  CHECK(log.entries().empty());
  gate.Open();
  IsOk(device->Synchronize(device.first));
  CHECK((log.entries() == Numbers{0, 1, 2, 3, 4}));
}

void TestCopiesAreLate() {
  Device device;
  void* other = nullptr;
  if (!IsOk(device->Allocate(Device::kBytes, &other))) return;
  Numbers source = Device::All(1);
  Numbers target = Device::All(7);
  Gate gate(*device, device.first);
  IsOk(device->CopyToDevice(device.memory, source.data(), Device::kBytes, device.first));
  IsOk(device->CopyOnDevice(other, device.memory, Device::kBytes, device.first));
  IsOk(device->CopyToHost(target.data(), other, Device::kBytes, device.first));
  IsOk(device->Fill(device.memory, 0xFF, Device::kBytes, device.first));
  device.Tick();
  CHECK(device.Read() == Device::All(0));
  source.assign(source.size(), 2);  // too early: the device has not read it yet
  gate.Open();
  IsOk(device->Synchronize(device.first));
  CHECK(target == Device::All(2));
  CHECK(device.Read() == Device::All(-1));
  device->Free(other);
}

void TestWithoutAStreamNothingWaits() {
  Device device;
  Gate gate(*device, device.first);
  Numbers numbers = Device::All(3);
  Call call([&] {
    IsOk(device->CopyToDevice(device.memory, numbers.data(), Device::kBytes, nullptr));
    IsOk(device->CopyOnDevice(device.memory, device.memory, Device::kBytes, nullptr));
    CHECK(device.Read() == Device::All(3));
    IsOk(device->Fill(device.memory, 0, sizeof(int), nullptr));
    CHECK(device.Read()[0] == 0 && device.Read()[1] == 3);
    std::thread::id thread;
    IsOk(device->Launch(nullptr, [&](Exec&) {
      thread = std::this_thread::get_id();
      return Status();
    }));
    CHECK(thread == std::this_thread::get_id());
    CHECK(Says(device->Launch(nullptr, Fails("at once")), "at once"));
    CHECK(Says(device->Launch(nullptr, [](Exec&) -> Status { throw std::runtime_error("thrown"); }),
               "thrown"));
    IsOk(device->Synchronize(nullptr));
  });
  CHECK(call.Returns());
}

void TestWhatWorkMayUse() {
  Device device;
  std::thread::id threads[3];
  const Stream streams[] = {device.first, device.first, device.second};
  for (int i = 0; i < 3; ++i) {
    IsOk(device->Launch(streams[i], [&threads, i](Exec& exec) {
      threads[i] = std::this_thread::get_id();
      std::vector<int> touched(100);
      ParallelFor(exec, 100, 1, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) ++touched[static_cast<size_t>(k)];
      });
      CHECK(touched == std::vector<int>(100, 1));
      void* scratch[2] = {};
      for (void*& memory : scratch) {
        EP_RETURN_IF_ERROR(exec.Scratch(64, &memory));
        CHECK(reinterpret_cast<uintptr_t>(memory) % alignof(std::max_align_t) == 0);
        for (int k = 0; k < 64; ++k) static_cast<char*>(memory)[k] = 1;
      }
      CHECK(scratch[0] != scratch[1]);
      CHECK(exec.Stream() == nullptr);
      return Status();
    }));
  }
  IsOk(device->Synchronize(device.first));
  IsOk(device->Synchronize(device.second));
  CHECK(threads[0] == threads[1]);
  CHECK(threads[0] != threads[2]);
  CHECK(threads[0] != std::this_thread::get_id());
}

void TestWorkLetsGoOfWhatItOwns() {
  Device device;
  auto owned = std::make_shared<int>(5);
  const std::weak_ptr<int> seen = owned;
  IsOk(device->Launch(device.first, Fails("the first")));
  IsOk(device->Launch(device.first, [owned](Exec&) { return Status(); }));  // skipped
  owned.reset();
  CHECK(Says(device->Synchronize(device.first), "the first"));
  CHECK(seen.expired());
}

void TestAQueueWaitsForAnother() {
  Log log;
  Device device;
  Gate gate(*device, device.first);
  IsOk(device->Launch(device.first, log.Adds(1)));
  IsOk(device->Record(device.event, device.first));
  IsOk(device->Launch(device.second, log.Adds(0)));
  IsOk(device->Synchronize(device.second));  // nothing is to be waited for yet
  IsOk(device->WaitOnDevice(device.event, device.second));
  device->DestroyEvent(device.event);  // who waits, waits
  IsOk(device->Launch(device.second, log.Adds(2)));
  device.Tick();
  CHECK(log.entries() == Numbers{0});
  gate.Open();
  IsOk(device->Synchronize(device.second));
  CHECK((log.entries() == Numbers{0, 1, 2}));
}

void TestTheHostWaitsForAnEvent() {
  Log log;
  Device device;
  Gate gate(*device, device.first);
  IsOk(device->Launch(device.first, log.Adds(1)));
  IsOk(device->Record(device.event, device.first));
  Gate behind(*device, device.first);
  const Call host([&] {
    IsOk(device->WaitOnHost(device.event));
    log.Add(2);
  });
  const Call without_a_queue([&] {
    IsOk(device->WaitOnDevice(device.event, nullptr));
    log.Add(2);
  });
  device.Tick();
  CHECK(log.entries().empty());
  gate.Open();
  CHECK(host.Returns());
  CHECK(without_a_queue.Returns());
  CHECK((log.entries() == Numbers{1, 2, 2}));
}

// A wait is for the record at the time of the call.
void TestAnEventIsRecordedAgain() {
  Log log;
  Device device;
  Gate hold(*device, device.second);
  IsOk(device->Record(device.event, device.first));
  IsOk(device->WaitOnDevice(device.event, device.second));
  IsOk(device->Launch(device.second, log.Adds(1)));
  Gate gate(*device, device.first);
  IsOk(device->Record(device.event, device.first));
  hold.Open();
  {
    const Call call([&] { IsOk(device->Synchronize(device.second)); });
    if (!CHECK(call.Returns())) gate.Open();
  }
  IsOk(device->WaitOnDevice(device.event, device.second));
  IsOk(device->Launch(device.second, log.Adds(2)));
  device.Tick();
  CHECK(log.entries() == Numbers{1});
}

void TestEventsThatHaveCome() {
  Device device;
  Event never = nullptr;
  Event idle = nullptr;
  Event gone = nullptr;
  for (Event* event : {&never, &idle, &gone}) IsOk(device->CreateEvent(event));
  Stream stream = nullptr;
  IsOk(device->CreateStream(&stream));
  IsOk(device->Record(gone, stream));
  device->DestroyStream(stream);
  Gate gate(*device, device.first);
  IsOk(device->Record(idle, device.first));
  IsOk(device->Record(idle, nullptr));
  Call call([&] {
    for (Event event : {never, idle, gone}) {
      IsOk(device->WaitOnHost(event));
      IsOk(device->WaitOnDevice(event, device.second));
    }
    IsOk(device->Synchronize(device.second));
  });
  if (!CHECK(call.Returns())) gate.Open();
}

// What is in any queue may still use the memory.
template <class Allocate, class Free>
void TestFreeWaits(Allocate allocate, Free free) {
  Device device;
  void* memory = nullptr;
  if (!IsOk(allocate(*device, &memory))) return;
  Gate one(*device, device.first);
  Gate two(*device, device.second);
  for (Stream stream : {device.first, device.second}) {
    IsOk(device->Fill(memory, 1, Device::kBytes, stream));
  }
  Call call([&] { free(*device, memory); });
  device.Tick();
  CHECK(!call.HasReturned());
  one.Open();
  IsOk(device->Synchronize(device.first));
  device.Tick();
  CHECK(!call.HasReturned());
  two.Open();
  CHECK(call.Returns());
  free(*device, nullptr);
}

void TestFree() {
  TestFreeWaits([](Runtime& it, void** memory) { return it.Allocate(Device::kBytes, memory); },
                [](Runtime& it, void* memory) { it.Free(memory); });
<% if host_accessible %>
  TestFreeWaits([](Runtime& it, void** memory) { return it.AllocateHost(Device::kBytes, memory); },
                [](Runtime& it, void* memory) { it.FreeHost(memory); });
<% endif %>
}

void TestWorkThatFreesDoesNotWaitForItself() {
  Device device;
  void* memory = nullptr;
  if (!IsOk(device->Allocate(64, &memory))) return;
  IsOk(device->Launch(device.first, [&](Exec&) {
    device->Free(memory);
    CHECK(Says(device->Synchronize(device.first), "cannot wait"));
    CHECK(Says(device->WaitOnHost(device.event), "cannot wait"));
    return Status();
  }));
  Call call([&] { IsOk(device->Synchronize(device.first)); });
  CHECK(call.Returns());
}

void TestTheEndOfAQueueWaits() {
  Log log;
  Device device;
  Gate gate(*device, device.first);
  IsOk(device->Launch(device.first, log.Adds(1)));
  {
    Call call([&] {
      device->DestroyStream(device.first);
      log.Add(2);
    });
    device.Tick();
    CHECK(log.entries().empty());
    gate.Open();
  }
  CHECK((log.entries() == Numbers{1, 2}));
}

void TestTheEndOfTheDeviceWaits() {
  Log log;
  Device device;
  Gate gate(*device, device.first);
  IsOk(device->Launch(device.first, log.Adds(1)));
  IsOk(device->Fill(device.memory, 1, Device::kBytes, device.first));
  IsOk(device->Launch(device.first, log.Adds(2)));
  IsOk(device->Record(device.event, device.first));
  IsOk(device->WaitOnDevice(device.event, device.second));
  IsOk(device->Launch(device.second, log.Adds(3)));
  {
    Device other;
    const Call call([&] { device.Close(); });
    other.Tick();
    CHECK(!call.HasReturned());
    gate.Open();
  }
  CHECK((log.entries() == Numbers{1, 2, 3}));
}

// Threads that share a queue, and queues that take turns: `turns` has no lock of its own.
void TestThreads() {
  Device device;
  std::atomic<int> done{0};
  const auto use = [&] {
    for (int i = 0; i < 200; ++i) {
      IsOk(device->Launch(device.first, [&](Exec&) {
        ++done;
        return Status();
      }));
      void* memory = nullptr;
      IsOk(device->Allocate(64, &memory));
      if (i % 16 == 0) IsOk(device->Synchronize(device.first));
      device->Free(memory);
    }
  };
  {
    const Call one(use);
    const Call two(use);
  }
  IsOk(device->Synchronize(device.first));
  CHECK(done == 400);

  Numbers turns;
  Numbers expected;
  for (int i = 0; i < 200; ++i) {
    const Stream stream = i % 2 == 0 ? device.first : device.second;
    IsOk(device->WaitOnDevice(device.event, stream));
    IsOk(device->Launch(stream, [&turns, i](Exec&) {
      turns.push_back(i);
      return Status();
    }));
    IsOk(device->Record(device.event, stream));
    expected.push_back(i);
  }
  IsOk(device->WaitOnHost(device.event));
  CHECK(turns == expected);
}
<% if memory_capacity or resource_accounting %>

void TestCapacity() {
  Device device;
  uint64_t total = 0;
  uint64_t before = 0;
  uint64_t after = 0;
  void* memory = nullptr;
  IsOk(device->Capacity(&total, &before));
  CHECK(before > 0 && before < total);
  IsOk(device->Allocate(1 << 20, &memory));
  IsOk(device->Capacity(&total, &after));
  CHECK(after + (1 << 20) <= before);
  device->Free(memory);
  IsOk(device->Capacity(&total, &after));
  CHECK(after == before);
}
<% endif %>

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;
  TestWorkIsDoneInOrderAndLate();
  TestCopiesAreLate();
  TestWithoutAStreamNothingWaits();
  TestWhatWorkMayUse();
  TestWorkLetsGoOfWhatItOwns();
  TestAQueueWaitsForAnother();
  TestTheHostWaitsForAnEvent();
  TestAnEventIsRecordedAgain();
  TestEventsThatHaveCome();
  TestFree();
  TestWorkThatFreesDoesNotWaitForItself();
  TestTheEndOfAQueueWaits();
  TestTheEndOfTheDeviceWaits();
  TestThreads();
<% if memory_capacity or resource_accounting %>
  TestCapacity();
<% endif %>
  return Verdict();
}
