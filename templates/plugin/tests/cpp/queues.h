<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/runtime.h"
#include "gen/memory/stream_order.h"

namespace <%= ns %>::test {

// Queues that do nothing before somebody waits for them: as slow as queues may be. They know which
// of their items have been done, and which come before which. Nothing here has memory.
class Queues final : public Runtime {
 public:
  using Item = uint64_t;  // the first one of a queue is 1

  Status Allocate(size_t /*bytes*/, void** /*address*/) override { return Nothing(); }
  void Free(void* /*address*/) noexcept override {}
<% if host_accessible %>
  Status AllocateHost(size_t /*bytes*/, void** /*address*/) override { return Nothing(); }
  void FreeHost(void* /*address*/) noexcept override {}
<% endif %>
<% if memory_capacity or resource_accounting %>
  Status Capacity(uint64_t* /*total*/, uint64_t* /*available*/) override { return Nothing(); }
<% endif %>
  Status CopyToDevice(void* /*to*/, const void* /*from*/, size_t /*bytes*/, Stream) override {
    return Nothing();
  }
  Status CopyToHost(void* /*to*/, const void* /*from*/, size_t /*bytes*/, Stream) override {
    return Nothing();
  }
  Status CopyOnDevice(void* /*to*/, const void* /*from*/, size_t /*bytes*/, Stream) override {
    return Nothing();
  }
  Status Fill(void* /*to*/, unsigned char /*value*/, size_t /*bytes*/, Stream) override {
    return Nothing();
  }
  void* KernelAddress(const void* /*device*/) const noexcept override { return nullptr; }
  Status Launch(Stream /*stream*/, Work /*work*/) override { return Nothing(); }

  // Handles are used again, as those of a device are.
  Status CreateStream(Stream* stream) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    uintptr_t handle = 16;
    while (queues_.count(reinterpret_cast<Stream>(handle)) > 0 &&
           queues_[reinterpret_cast<Stream>(handle)].is_open) {
      handle += 16;
    }
    *stream = reinterpret_cast<Stream>(handle);
    Queue& queue = queues_[*stream];
    queue.is_open = true;
    queue.before.clear();
    return Status();
  }
  void DestroyStream(Stream stream) noexcept override {
    const std::lock_guard<std::mutex> lock(mutex_);
    Finish(stream);
    queues_[stream].is_open = false;
  }
  Status Synchronize(Stream stream) override {
    CheckOpen(stream);
    if (while_waiting) while_waiting(stream);
    std::this_thread::yield();
    CheckOpen(stream);
    const std::lock_guard<std::mutex> lock(mutex_);
    waited.push_back(stream);
    Finish(stream);
    return std::exchange(queues_[stream].error, Status());
  }

  Status CreateEvent(Event* /*event*/) override { return Nothing(); }
  void DestroyEvent(Event /*event*/) noexcept override {}
  Status Record(Event /*event*/, Stream /*stream*/) override { return Nothing(); }
  Status WaitOnDevice(Event /*event*/, Stream /*stream*/) override { return Nothing(); }
  Status WaitOnHost(Event /*event*/) override { return Nothing(); }
<% if graph_capture %>
  Status BeginCapture(Stream /*stream*/) override { return Nothing(); }
  Status EndCapture(Stream /*stream*/, Graph* /*graph*/) override { return Nothing(); }
  Status Replay(Graph /*graph*/, Stream /*stream*/) override { return Nothing(); }
  void DestroyGraph(Graph /*graph*/) noexcept override {}
<% endif %>
<% if external_memory %>
  bool CanImport(MemoryHandle /*kind*/) const noexcept override { return false; }
  bool CanImport(SemaphoreHandle /*kind*/) const noexcept override { return false; }
  Status ImportMemory(MemoryHandle /*kind*/, void* /*handle*/, size_t /*bytes*/,
                      void** /*address*/) override {
    return Nothing();
  }
  void ReleaseImported(void* /*address*/) noexcept override {}
  Status ImportSemaphore(SemaphoreHandle /*kind*/, void* /*handle*/,
                         Semaphore* /*semaphore*/) override {
    return Nothing();
  }
  void ReleaseSemaphore(Semaphore /*semaphore*/) noexcept override {}
  Status WaitSemaphore(Semaphore /*semaphore*/, uint64_t /*value*/, Stream /*stream*/) override {
    return Nothing();
  }
  Status SignalSemaphore(Semaphore /*semaphore*/, uint64_t /*value*/, Stream /*stream*/) override {
    return Nothing();
  }
<% endif %>
<% if graphics_interop %>
  Status AdoptQueue(GraphicsApi /*api*/, void* /*queue*/, Stream* /*stream*/) override {
    return Nothing();
  }
  void ReleaseQueue(Stream /*stream*/) noexcept override {}
<% endif %>

  // By queue: the last item that comes before something.
  using Clock = std::map<Stream, Item>;

  Item Put(Stream stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ++queues_[stream].last;
  }
  // The end of a queue as it is now, for events.
  Clock EndOf(Stream stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Clock clock = queues_[stream].before;
    clock[stream] = queues_[stream].last;
    return clock;
  }
  void LetWait(Stream stream, const Clock& clock) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Raise(&queues_[stream].before, clock);
  }
  void Reach(const Clock& clock) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [stream, item] : clock) Do(stream, item);
  }
  bool IsDone(Stream stream, Item item) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return queues_[stream].done >= item;
  }
  // Has it been done before anything that is put into `later` from now on?
  bool IsBefore(Stream stream, Item item, Stream later) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return stream == later || queues_[stream].done >= item || queues_[later].before[stream] >= item;
  }
  void Fail(Stream stream, const char* text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    queues_[stream].error = Failed(std::string(text));
  }

  std::function<void(Stream)> while_waiting;
  std::vector<Stream> waited;  // every Synchronize
  int strangers = 0;           // waited for, but not open

 private:
  struct Queue {
    bool is_open = false;
    Item last = 0;
    Item done = 0;
    Clock before;  // what is put from now on
    Status error;
  };

  static Status Nothing() { return Failed("there is nothing here but queues"); }
  static void Raise(Clock* clock, const Clock& other) {
    for (const auto& [stream, item] : other) {
      if ((*clock)[stream] < item) (*clock)[stream] = item;
    }
  }
  void CheckOpen(Stream stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!queues_[stream].is_open) ++strangers;
  }
  void Do(Stream stream, Item item) {
    if (queues_[stream].done < item) queues_[stream].done = item;
  }
  void Finish(Stream stream) {
    Do(stream, queues_[stream].last);
    for (const auto& [other, item] : queues_[stream].before) Do(other, item);
  }

  std::mutex mutex_;
  std::map<Stream, Queue> queues_;
};

// Queues with an order of them, as the library keeps them together.
class Traffic {
 public:
  struct Point {
    Stream stream;
    StreamOrder::Moment moment;
    Queues::Clock clock;
  };

  Queues queues;
  StreamOrder order{queues};

  Stream Open() {
    Stream stream = nullptr;
    (void)queues.CreateStream(&stream);
    order.Add(stream);
    return stream;
  }
  void Close(Stream stream) {
    (void)order.Wait(stream);
    order.Remove(stream);
    queues.DestroyStream(stream);
  }
  Point Record(Stream stream) {
    const StreamOrder::Moment moment = order.Now();
    return {stream, moment, queues.EndOf(stream)};
  }
  void WaitOnDevice(Stream stream, const Point& point) {
    queues.LetWait(stream, point.clock);
    order.SetAfter(stream, point.stream, point.moment);
  }
  void WaitOnHost(const Point& point) {
    queues.Reach(point.clock);
    order.SetDone(point.stream, point.moment);
  }
};

}  // namespace <%= ns %>::test
