<%= banner %>
// What device/runtime.h promises of captured work, and the memory of captured graphs, without ONNX
// Runtime.
#include <memory>
#include <string>
#include <thread>

#include "check.h"
#include "device/runtime.h"
#include "device_harness.h"
#include "gen/memory/capture_memory.h"
#include "gen/memory/stream_order.h"

namespace <%= ns %>::test {
namespace {

// A device whose first queue is captured.
struct Captured : Device {
  Captured() { IsOk((*this)->BeginCapture(first)); }
  Status End() { return (*this)->EndCapture(first, &graph); }
  Graph graph = nullptr;
};

void TestWorkIsRecordedAndDoneAtEachReplay() {
  Log log;
  Captured device;
  void* other = nullptr;
  IsOk(device->Allocate(Device::kBytes, &other));
  IsOk(device->Launch(device.first, log.Adds(1)));
  IsOk(device->CopyOnDevice(device.memory, other, Device::kBytes, device.first));
  IsOk(device->Fill(device.memory, 0xFF, sizeof(int), device.first));
  IsOk(device->Launch(device.first, log.Adds(2)));
  device.Tick();
  IsOk(device.End());
  device.Tick();
  CHECK(log.entries().empty());
  for (int turn = 1; turn < 4; ++turn) {
    const Numbers numbers = Device::All(turn);
    IsOk(device->CopyToDevice(other, numbers.data(), Device::kBytes, nullptr));
    IsOk(device->Replay(device.graph, device.first));
    IsOk(device->Synchronize(device.first));
    CHECK(device.Read()[0] == -1 && device.Read()[1] == turn);
  }
  CHECK((log.entries() == Numbers{1, 2, 1, 2, 1, 2}));
  device->DestroyGraph(device.graph);
  CHECK(!device->Replay(device.graph, device.first).ok());
  device->DestroyGraph(nullptr);
  device->Free(other);
}

void TestAReplayIsWorkOfItsQueue() {
  Log log;
  Captured device;
  IsOk(device->Launch(device.first, log.Adds(1)));
  IsOk(device.End());
  Gate gate(*device, device.second);
  IsOk(device->Replay(device.graph, device.second));
  IsOk(device->Launch(device.second, log.Adds(2)));
  device->DestroyGraph(device.graph);  // what is queued is done
  device.Tick();
  CHECK(log.entries().empty());
  gate.Open();
  IsOk(device->Synchronize(device.second));
  CHECK((log.entries() == Numbers{1, 2}));
}

// `call` is an error that says `text`; the capture has failed with it, and the queue goes on.
template <class Call>
void Refuses(const char* text, Call call) {
  Log log;
  Captured device;
  IsOk(device->Launch(device.first, log.Adds(1)));
  CHECK_THAT(Says(call(device), text), std::string(text));
  CHECK(!device->Synchronize(device.first).ok());
  CHECK_THAT(Says(device.End(), text), std::string(text));
  CHECK(device.graph == nullptr);
  IsOk(device->Synchronize(device.first));
  IsOk(device->Launch(device.first, log.Adds(2)));
  IsOk(device->Synchronize(device.first));
  CHECK(log.entries() == Numbers{2});
}

void TestWhatCannotBeRecorded() {
  Numbers host = Device::All(0);
  Refuses("Synchronize", [](Captured& device) { return device->Synchronize(device.first); });
  Refuses("CopyToDevice with memory of the host", [&](Captured& device) {
    return device->CopyToDevice(device.memory, host.data(), Device::kBytes, device.first);
  });
  Refuses("CopyToHost with memory of the host", [&](Captured& device) {
    return device->CopyToHost(host.data(), device.memory, Device::kBytes, device.first);
  });
  Refuses("without a stream", [](Captured& device) {
    return device->Fill(device.memory, 0, Device::kBytes, nullptr);
  });
  Refuses("without a stream",
          [](Captured& device) { return device->Launch(nullptr, Fails("was done")); });
  Refuses("WaitOnHost", [](Captured& device) {
    IsOk(device->Record(device.event, device.first));
    return device->WaitOnHost(device.event);
  });
  Refuses("WaitOnDevice", [](Captured& device) {
    IsOk(device->Record(device.event, device.second));
    return device->WaitOnDevice(device.event, device.first);
  });
  Refuses("WaitOnDevice", [](Captured& device) {
    IsOk(device->Record(device.event, device.first));
    return device->WaitOnDevice(device.event, device.second);
  });
  Refuses("EndCapture on another thread", [](Captured& device) {
    Status status;
    std::thread([&] { status = device.End(); }).join();
    return status;
  });
}

void TestWhatCanBeRecorded() {
  Log log;
  Captured device;
  Event never = nullptr;
  IsOk(device->CreateEvent(&never));
  IsOk(device->WaitOnDevice(never, device.first));
  IsOk(device->Launch(device.first, log.Adds(1)));
  IsOk(device->Record(device.event, device.first));
  IsOk(device->WaitOnDevice(device.event, device.first));
  IsOk(device->Launch(device.first, log.Adds(2)));
  // Others go on as ever.
  IsOk(device->Launch(device.second, log.Adds(3)));
  IsOk(device->Synchronize(device.second));
  std::thread([&] { CHECK(device.Read() == Device::All(0)); }).join();
<% if host_accessible %>
  void* pinned = nullptr;
  IsOk(device->AllocateHost(Device::kBytes, &pinned));
  IsOk(device->CopyToHost(pinned, device.memory, Device::kBytes, device.first));
<% endif %>
  IsOk(device.End());
  IsOk(device->Replay(device.graph, device.first));
  IsOk(device->Synchronize(device.first));
  CHECK((log.entries() == Numbers{3, 1, 2}));
  CHECK(!device->WaitOnHost(device.event).ok());  // it is of the graph
<% if host_accessible %>
  CHECK(static_cast<int*>(pinned)[0] == 0);
  device->FreeHost(pinned);
<% endif %>
}

void TestBeginAndEnd() {
  Device device;
  Graph graph = nullptr;
  CHECK(Says(device->EndCapture(device.first, &graph), "is not captured"));
  {
    Gate gate(*device, device.first);
    CHECK(Says(device->BeginCapture(device.first), "nobody has waited"));
  }
  IsOk(device->Synchronize(device.first));
  IsOk(device->Launch(device.first, Fails("before")));
  CHECK(Says(device->BeginCapture(device.first), "nobody has waited"));
  CHECK(Says(device->Synchronize(device.first), "before"));
  IsOk(device->BeginCapture(device.first));
  CHECK(Says(device->BeginCapture(device.first), "captured already"));
  IsOk(device->BeginCapture(device.second));
  CHECK(Says(device->Replay(graph, device.first), "not a graph"));
  IsOk(device->EndCapture(device.second, &graph));
  CHECK(Says(device->Replay(graph, device.first), "Replay"));
  device->DestroyStream(device.first);  // and its capture
  IsOk(device->Replay(graph, device.second));
  IsOk(device->Synchronize(device.second));
}

void TestErrorsInReplays() {
  Captured device;
  auto fails = std::make_shared<bool>(true);
  IsOk(device->Launch(device.first, [fails](Exec&) { return *fails ? Failed("now") : Status(); }));
  IsOk(device.End());
  IsOk(device->Replay(device.graph, device.first));
  CHECK(Says(device->Synchronize(device.first), "now"));
  *fails = false;
  IsOk(device->Replay(device.graph, device.first));
  IsOk(device->Synchronize(device.first));
}

void TestOrderWaitsForNoHeldQueue() {
  Log log;
  Device device;
  StreamOrder order(*device);
  for (Stream stream : {device.first, device.second}) order.Add(stream);
  IsOk(device->Launch(device.first, log.Adds(1)));
  IsOk(order.Hold(device.first));
  CHECK(log.entries() == Numbers{1} && order.IsHeld(device.first));
  IsOk(device->BeginCapture(device.first));
  IsOk(device->Launch(device.first, log.Adds(2)));
  IsOk(device->Launch(device.second, log.Adds(3)));
  IsOk(order.WaitForAll());  // of what is not recorded
  order.Settle(nullptr);
  order.Settle(device.first);
  CHECK((log.entries() == Numbers{1, 3}));
  CHECK(!order.Hold(device.first).ok());
  Graph graph = nullptr;
  IsOk(device->EndCapture(device.first, &graph));
  IsOk(device->BeginCapture(device.first));
  CHECK(Says(order.Wait(device.first), "Synchronize"));  // who wants this one is told
  CHECK(!device->EndCapture(device.first, &graph).ok());
  order.Resume(device.first);
  IsOk(device->Launch(device.first, Fails("after")));
  CHECK(Says(order.WaitForAll(), "after"));
  IsOk(device->Launch(device.first, Fails("held")));
  CHECK(Says(order.Hold(device.first), "held"));
  CHECK(!order.IsHeld(device.first));
  for (Stream stream : {device.first, device.second}) order.Remove(stream);
}

// Counts what it has given.
class Source final : public MemorySource {
 public:
  explicit Source(bool for_host = false) : for_host_(for_host) {}
  Status Allocate(size_t /*bytes*/, void** address) override {
    if (is_empty) return Failed("no memory");
    *address = reinterpret_cast<void*>(uintptr_t{4096} * ++given_ + (for_host_ ? 64 : 0));
    ++live;
    return Status();
  }
  void Free(void* address) noexcept override { live -= address != nullptr ? 1 : 0; }
  bool is_for_host() const noexcept override { return for_host_; }

  int live = 0;
  bool is_empty = false;

 private:
  const bool for_host_;
  uintptr_t given_ = 0;
};

void* Take(CaptureMemories& memories, MemorySource& source, size_t bytes, Stream stream) {
  bool is_taken = false;
  void* address = nullptr;
  IsOk(memories.Allocate(source, bytes, stream, &is_taken, &address));
  CHECK(is_taken == (address != nullptr));
  return address;
}

void TestMemoryOfGraphs() {
  const Stream stream = reinterpret_cast<Stream>(uintptr_t{16});
  const Stream other = reinterpret_cast<Stream>(uintptr_t{32});
  Source source;
  Source pinned(true);
  CaptureMemories memories;
  CHECK(Take(memories, source, 100, stream) == nullptr);
  std::shared_ptr<CapturePool> pool = memories.Begin(stream);
  void* first = Take(memories, source, 100, stream);
  void* second = Take(memories, source, 100, nullptr);  // by this thread
  std::thread([&] {
    CHECK(Take(memories, source, 100, other) == nullptr);
    void* third = Take(memories, source, 5000, stream);
    CHECK(third != nullptr && memories.Free(third));
  }).join();
  CHECK(source.live == 3 && first != second);
  CHECK(memories.Free(first) && !memories.Free(first));
  CHECK(Take(memories, source, 200, stream) == first);  // the smallest that is large enough
  CHECK(Take(memories, source, 300, stream) != nullptr && source.live == 3);
  void* host = Take(memories, pinned, 100, stream);
  CHECK(memories.Free(host));
  CHECK(Take(memories, pinned, 100, stream) != host);  // the host may have written to it
  source.is_empty = true;
  bool is_taken = false;
  void* none = nullptr;
  CHECK(Says(memories.Allocate(source, 9000, stream, &is_taken, &none), "no memory") && is_taken);
  source.is_empty = false;
  memories.End(stream);
  CHECK(Take(memories, source, 100, stream) == nullptr);
  memories.Release(*pool);
  pool.reset();
  CHECK(source.live == 3);  // somebody has a part of it
  CHECK(memories.Free(first) && memories.Free(second) && source.live == 3);
}

void TestMemoryThatGraphsUse() {
  const Stream stream = reinterpret_cast<Stream>(uintptr_t{16});
  int memory = 0;
  int freed = 0;
  const auto free = [&] { ++freed; };
  CaptureMemories memories;
  std::shared_ptr<CapturePool> pools[2];
  for (std::shared_ptr<CapturePool>& pool : pools) {
    pool = memories.Begin(stream);
    for (int i = 0; i < 2; ++i) memories.Use(stream, &memory);
    memories.End(stream);
    memories.Use(stream, &freed);  // nothing is captured
  }
  CHECK(memories.IsUsed(&memory) && !memories.IsUsed(&freed));
  memories.FreeUnused(&memory, free);
  memories.Release(*pools[0]);
  CHECK(freed == 0 && memories.IsUsed(&memory));
  memories.Release(*pools[1]);
  CHECK(freed == 1 && !memories.IsUsed(&memory));
  memories.FreeUnused(&memory, free);
  CHECK(freed == 2);
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
  TestWorkIsRecordedAndDoneAtEachReplay();
  TestAReplayIsWorkOfItsQueue();
  TestWhatCannotBeRecorded();
  TestWhatCanBeRecorded();
  TestBeginAndEnd();
  TestErrorsInReplays();
  TestOrderWaitsForNoHeldQueue();
  TestMemoryOfGraphs();
  TestMemoryThatGraphsUse();
  return Verdict();
}
