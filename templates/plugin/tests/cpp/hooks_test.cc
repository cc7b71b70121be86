<%= banner %>
// The hooks of the test variant: what they hold, count and fail.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "check.h"
#include "device_harness.h"
#include "test_hooks.h"

namespace <%= ns %>::test {
namespace {

const EpTestHooksTable& Hooks() { return *EpTestHooks(1); }

int64_t Of(Stream stream, const char* name) {
  return Hooks().counter(Hooks().find_stream(stream), name);
}
int64_t OfAll(const char* name) { return Hooks().counter(kEpEveryStream, name); }

void TestVersions() {
  CHECK(Hooks().version == 1);
  CHECK(EpTestHooks(0) == nullptr);
  CHECK(EpTestHooks(2) == nullptr);
}

void TestNumbersOfQueues() {
  const int64_t before = Hooks().stream_count();
  Device device;
  CHECK(Hooks().find_stream(device.first) == before);
  CHECK(Hooks().find_stream(device.second) == before + 1);
  CHECK(Hooks().stream_count() == before + 3);
  CHECK(Hooks().find_stream(nullptr) == kEpNoStream);
  device->DestroyStream(device.second);
  CHECK(Hooks().find_stream(device.second) == -3);
  Stream next = nullptr;
  IsOk(device->CreateStream(&next));
  CHECK(Hooks().find_stream(next) == before + 3);
}

void TestOneQueueIsHeld() {
  Log log;
  Device device;
  const int64_t number = Hooks().find_stream(device.first);
  Hooks().set_hold(number, 1);
  IsOk(device->Launch(device.first, log.Adds(1)));
  IsOk(device->Fill(device.memory, 1, Device::kBytes, device.first));
  IsOk(device->Launch(device.second, log.Adds(2)));
  IsOk(device->Synchronize(device.second));
  device.Tick();
  CHECK(log.entries() == std::vector<int>{2});
  CHECK(device.Read() == std::vector<int>(Device::kCount, 0));
  CHECK(Of(device.first, "queued") == 2 && Of(device.first, "begun") == 0);
  Hooks().set_hold(number, 0);
  IsOk(device->Synchronize(device.first));
  CHECK((log.entries() == std::vector<int>{2, 1}));
  CHECK(Of(device.first, "begun") == 2);
}

void TestAllQueuesAreHeld() {
  Log log;
  Device device;
  Hooks().set_hold(kEpEveryStream, 1);
  Stream later = nullptr;
  IsOk(device->CreateStream(&later));
  IsOk(device->Launch(nullptr, log.Adds(0)));  // calls without a queue are not held
  for (Stream stream : {device.first, device.second, later}) {
    IsOk(device->Launch(stream, log.Adds(1)));
  }
  {
    const Call call([&] { IsOk(device->Synchronize(later)); });
    CHECK(!call.HasReturned());
    CHECK(log.entries() == std::vector<int>{0});
    Hooks().set_hold(kEpEveryStream, 0);
  }
  for (Stream stream : {device.first, device.second}) IsOk(device->Synchronize(stream));
  CHECK(log.entries().size() == 4);
}

void TestWhatIsLeft() {
  {
    const Device device;
    CHECK(OfAll("left") == 0);
  }
  CHECK(OfAll("left") == 4);  // its streams and its event
  CHECK(OfAll("streams") == 0 && OfAll("events") == 0 && OfAll("bytes_in_use") == 0);
}

// Nobody could release them any more.
void TestTheEndOfTheDeviceReleases() {
  Log log;
  Device device;
  Hooks().set_hold(kEpEveryStream, 1);
  IsOk(device->Launch(device.first, log.Adds(1)));
  device.Close();
  CHECK(log.entries() == std::vector<int>{1});
}

void TestDelaysAreMade() {
  Device device;
  Hooks().set_delay_us(Hooks().find_stream(device.first), 2000);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) IsOk(device->Fill(device.memory, 1, 4, device.first));
  IsOk(device->Synchronize(device.first));
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::microseconds(6000));
}

void TestCounters() {
  std::vector<int> numbers(Device::kCount);
  Device device;
  Hooks().reset();
  const size_t bytes = Device::kBytes;
  IsOk(device->CopyToDevice(device.memory, numbers.data(), bytes, device.first));
  IsOk(device->CopyOnDevice(device.memory, device.memory, 8, device.first));
  IsOk(device->CopyToHost(numbers.data(), device.memory, bytes, nullptr));
  IsOk(device->Fill(device.memory, 1, bytes, device.second));
  IsOk(device->Launch(device.second, [](Exec&) { return Status(); }));
  IsOk(device->Record(device.event, device.second));
  IsOk(device->WaitOnDevice(device.event, device.first));
  IsOk(device->WaitOnHost(device.event));
  for (Stream stream : {device.first, device.first, device.second}) {
    IsOk(device->Synchronize(stream));
  }
  CHECK(Of(device.first, "copies") == 2 && Of(nullptr, "copies") == 1 && OfAll("copies") == 3);
  CHECK(Of(device.first, "copies_to_device") == 1 && Of(device.first, "copies_on_device") == 1);
  CHECK(OfAll("copies_to_host") == 1 && Of(nullptr, "copies_to_host") == 1);
  CHECK(Of(device.first, "copied_bytes") == static_cast<int64_t>(bytes + 8));
  CHECK(Of(device.second, "fills") == 1 && Of(device.second, "launches") == 1);
  CHECK(Of(device.second, "records") == 1 && Of(device.first, "device_waits") == 1);
  CHECK(Of(device.first, "synchronizations") == 2 && OfAll("synchronizations") == 3);
  CHECK(OfAll("host_waits") == 1 && OfAll("launches") == 1 && OfAll("fills") == 1);
  CHECK(OfAll("no such counter") == -1);
  CHECK(OfAll("streams") == 3 && OfAll("events") == 1);
  Hooks().reset();
  CHECK(OfAll("copies") == 0 && OfAll("host_waits") == 0);
  CHECK(OfAll("streams") == 3 && OfAll("events") == 1);
}

void TestMemoryIsCounted() {
  Device device;
  Hooks().reset();
  const int64_t before = OfAll("bytes_in_use");
  void* memory = nullptr;
  IsOk(device->Allocate(100, &memory));
  CHECK(OfAll("allocations") == 1 && OfAll("bytes_in_use") == before + 100);
  device->Free(memory);
  device->Free(nullptr);
  CHECK(OfAll("frees") == 1 && OfAll("bytes_in_use") == before);
<% if host_accessible %>
  IsOk(device->AllocateHost(50, &memory));
  CHECK(OfAll("host_allocations") == 1 && OfAll("host_bytes_in_use") == 50);
  device->FreeHost(memory);
  CHECK(OfAll("host_frees") == 1 && OfAll("host_bytes_in_use") == 0);
  CHECK(OfAll("allocations") == 1);
<% endif %>
}

void TestFailures() {
  int number = 0;
  Device device;
  CHECK(Hooks().fail("no such call", 1) == 0);
  const auto allocates = [&] {
    void* memory = nullptr;
    const Status status = device->Allocate(64, &memory);
    device->Free(memory);
    return status;
  };
  CHECK(Hooks().fail("allocate", 2) == 1);
  IsOk(allocates());
  CHECK(Says(allocates(), "a failure of 'allocate'"));
  IsOk(allocates());  // once
  const auto fails = [](const char* call, auto body) {
    Hooks().fail(call, 1);
    CHECK_THAT(Says(body(), std::string("a failure of '") + call + "'"), std::string(call));
    IsOk(body());
  };
  const Work work = [](Exec&) { return Status(); };
  fails("launch", [&] { return device->Launch(device.first, work); });
  fails("fill", [&] { return device->Fill(device.memory, 0, 4, device.first); });
  fails("copy", [&] { return device->CopyToHost(&number, device.memory, 4, device.first); });
  fails("record", [&] { return device->Record(device.event, device.first); });
  fails("device_wait", [&] { return device->WaitOnDevice(device.event, device.second); });
  fails("host_wait", [&] { return device->WaitOnHost(device.event); });
  fails("synchronize", [&] { return device->Synchronize(device.first); });
  fails("create_stream", [&] { return device->CreateStream(&device.second); });
  fails("create_event", [&] { return device->CreateEvent(&device.event); });
<% if host_accessible %>
  fails("allocate_host", [&] {
    void* memory = nullptr;
    const Status status = device->AllocateHost(64, &memory);
    device->FreeHost(memory);
    return status;
  });
<% endif %>
  fails("work", [&] {
    IsOk(device->Launch(device.first, work));
    return device->Synchronize(device.first);
  });
  Hooks().fail("launch", 1);
  Hooks().reset();
  IsOk(device->Launch(device.first, work));
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;
  for (auto* test :
       {TestVersions, TestNumbersOfQueues, TestOneQueueIsHeld, TestAllQueuesAreHeld,
        TestTheEndOfTheDeviceReleases, TestWhatIsLeft, TestDelaysAreMade, TestCounters, TestMemoryIsCounted,
        TestFailures}) {
    Hooks().reset();
    test();
  }
  return Verdict();
}
