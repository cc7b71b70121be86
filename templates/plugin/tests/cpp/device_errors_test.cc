<%= banner %>
// What device/runtime.h promises when something goes wrong, without ONNX Runtime.
#include <stdexcept>

#include "check.h"
#include "device/runtime.h"
#include "device_harness.h"

namespace <%= ns %>::test {
namespace {

void TestTheFirstErrorStays() {
  Log log;
  Device device;
  Numbers numbers = Device::All(9);
  Gate gate(*device, device.first);
  IsOk(device->Launch(device.first, log.Adds(1)));
  IsOk(device->Launch(device.first, [](Exec&) { return Status(StatusCode::kDeviceLost, "lost"); }));
  IsOk(device->Launch(device.first, log.Adds(2)));
  IsOk(device->CopyToDevice(device.memory, numbers.data(), Device::kBytes, device.first));
  IsOk(device->Launch(device.first, Fails("another")));
  gate.Open();
  device.Tick();
  IsOk(device->Launch(device.first, log.Adds(3)));
  IsOk(device->Synchronize(device.second));  // not its own
  const Status status = device->Synchronize(device.first);
  CHECK(Says(status, "lost") && status.code() == StatusCode::kDeviceLost);
  CHECK(log.entries() == Numbers{1});
  CHECK(device.Read() == Device::All(0));
  IsOk(device->Synchronize(device.first));
  IsOk(device->Launch(device.first, log.Adds(4)));
  IsOk(device->Synchronize(device.first));
  CHECK((log.entries() == Numbers{1, 4}));
}

void TestEventsBeforeAndBehindAnError() {
  Log log;
  Device device;
  Event before = nullptr;
  Event later = nullptr;
  for (Event* event : {&before, &later}) IsOk(device->CreateEvent(event));
  Gate gate(*device, device.second);
  IsOk(device->Record(later, device.second));
  IsOk(device->Record(before, device.first));
  IsOk(device->Launch(device.first, Fails("between")));
  IsOk(device->Record(device.event, device.first));
  IsOk(device->WaitOnDevice(later, device.first));
  IsOk(device->Launch(device.first, log.Adds(1)));
  device.Tick();
  IsOk(device->WaitOnHost(before));
  CHECK(Says(device->WaitOnHost(device.event), "between"));
  IsOk(device->WaitOnHost(device.event));
  IsOk(device->Launch(device.first, log.Adds(2)));
  gate.Open();
  IsOk(device->Synchronize(device.first));
  CHECK(log.entries() == Numbers{2});  // the other was put in before anybody knew
}

void TestAnErrorReachesWhoWaitsForIt() {
  Log log;
  Device device;
  IsOk(device->Launch(device.first, Fails("upstream")));
  IsOk(device->Record(device.event, device.first));
  IsOk(device->WaitOnDevice(device.event, device.second));
  IsOk(device->Launch(device.second, log.Adds(1)));
  CHECK(Says(device->Synchronize(device.second), "upstream"));
  CHECK(Says(device->Synchronize(device.first), "upstream"));
  CHECK(log.entries().empty());
}

void TestExceptionsAreErrors() {
  Device device;
  IsOk(device->Launch(device.first, [](Exec&) -> Status { throw std::runtime_error("burst"); }));
  CHECK(Says(device->Synchronize(device.first), "burst"));
  IsOk(device->Launch(device.first, [](Exec&) -> Status { throw 7; }));
  CHECK(Says(device->Synchronize(device.first), "an exception"));
}

void TestStrangersAreRefused() {
  Device device;
  Device other;
  int local = 0;
  device->DestroyStream(device.second);
  Stream next = nullptr;
  IsOk(device->CreateStream(&next));
  CHECK(next != device.second);
  for (Stream stream : {device.second, other.first, static_cast<void*>(&local), device.event}) {
    const Work work = [](Exec&) { return Status(); };
    CHECK(Says(device->Launch(stream, work), "not a stream"));
    CHECK(Says(device->Fill(device.memory, 1, 4, stream), "not a stream"));
    CHECK(Says(device->CopyToHost(&local, device.memory, 4, stream), "not a stream"));
    CHECK(Says(device->Synchronize(stream), "not a stream"));
    CHECK(Says(device->Record(device.event, stream), "not a stream"));
    CHECK(Says(device->WaitOnDevice(device.event, stream), "not a stream"));
    device->DestroyStream(stream);
  }
  for (Event event : {other.event, static_cast<void*>(&local), device.first}) {
    CHECK(Says(device->Record(event, device.first), "not an event"));
    CHECK(Says(device->WaitOnDevice(event, device.first), "not an event"));
    CHECK(Says(device->WaitOnHost(event), "not an event"));
    device->DestroyEvent(event);
  }
  CHECK(Says(device->Launch(device.first, Work()), "no work"));
  CHECK(Says(device->Fill(&local, 1, 4, device.first), "not the device's"));
  CHECK(Says(device->CopyToDevice(&local, &local, 4, device.first), "not the device's"));
  CHECK(local == 0);
  IsOk(device->Synchronize(device.first));
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;
  TestTheFirstErrorStays();
  TestEventsBeforeAndBehindAnError();
  TestAnErrorReachesWhoWaitsForIt();
  TestExceptionsAreErrors();
  TestStrangersAreRefused();
  return Verdict();
}
