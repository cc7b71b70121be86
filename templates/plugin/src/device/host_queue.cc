<%= banner %>
#include "device/host_queue.h"

#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace <%= ns %> {
namespace {

// What a kernel may use in a queue: this thread, and memory of the host.
class QueueExec final : public Exec {
 public:
  void ParallelFor(int64_t count, int64_t /*cost*/, Range range, void* context) override {
    range(context, 0, count);
  }
  Status Scratch(size_t bytes, void** memory) override {
    // Not make_unique, which would clear it.
    scratch_.emplace_back(new std::max_align_t[bytes / sizeof(std::max_align_t) + 1]);
    *memory = scratch_.back().get();
    return Status();
  }
  void* Stream() const noexcept override { return nullptr; }

 private:
  std::vector<std::unique_ptr<std::max_align_t[]>> scratch_;
};

Status WaitsForItself() {
  return InvalidArgument("work in a queue of the simulated device cannot wait for the device");
}

}  // namespace

Status RunWork(const Work& work) {
  try {
    QueueExec exec;
    return work(exec);
  } catch (const std::exception& error) {
    return Failed(std::string("an exception in work for the device: ") + error.what());
  } catch (...) {
    return Failed("an exception of an unknown kind in work for the device");
  }
}

Status HostQueues::NewHandle(void** handle) {
  if (last_handle_ + 1 >= handle_count_) return Failed("the simulated device has no more handles");
  *handle = handles_ + ++last_handle_;
  return Status();
}

Status HostQueues::Find(Stream stream, std::shared_ptr<Queue>* queue) const {
  const auto found = queues_.find(stream);
  if (found == queues_.end() || found->second->is_closing) {
    return InvalidArgument("not a stream of this device, or one that has been destroyed");
  }
  *queue = found->second;
  return Status();
}

Status HostQueues::Find(Event event, Point** point) {
  const auto found = events_.find(event);
  if (found == events_.end()) {
    return InvalidArgument("not an event of this device, or one that has been destroyed");
  }
  *point = &found->second;
  return Status();
}

Status HostQueues::Create(Stream* stream) {
  *stream = nullptr;
  const Lock lock(mutex_);
  void* handle = nullptr;
  EP_RETURN_IF_ERROR(NewHandle(&handle));
  const auto queue = std::make_shared<Queue>();
  const auto entry = queues_.emplace(handle, queue).first;
  try {
    queue->thread = std::thread([this, &started = *queue] { Run(started); });
  } catch (const std::exception& error) {  // no thread, or no memory for one
    queues_.erase(entry);
    return Failed(std::string("no thread for a stream of the simulated device: ") + error.what());
  }
  *stream = handle;
  return Status();
}

void HostQueues::Destroy(Stream stream) noexcept {
  Lock lock(mutex_);
  const auto found = queues_.find(stream);
  if (found == queues_.end() || found->second->is_closing) return;
  if (found->second->thread.get_id() == std::this_thread::get_id()) return;
  Close(found->second, lock);
  queues_.erase(stream);
}

void HostQueues::DestroyAll() noexcept {
  Lock lock(mutex_);
  while (!queues_.empty()) {
    Close(queues_.begin()->second, lock);
    queues_.erase(queues_.begin());
  }
}

// Does all that is in it, and ends its thread. Others see it until then.
void HostQueues::Close(const std::shared_ptr<Queue>& queue, Lock& lock) noexcept {
  queue->is_closing = true;
  queue->filled.notify_one();
  lock.unlock();
  queue->thread.join();
  lock.lock();
}

void HostQueues::Put(Queue& queue, Work work, Point after) {
  queue.items.push_back({last_ticket_ + 1, std::move(work), std::move(after)});
  queue.queued = ++last_ticket_;
  queue.filled.notify_one();
}

Status HostQueues::Push(Stream stream, Work work) {
  const Lock lock(mutex_);
  std::shared_ptr<Queue> queue;
  EP_RETURN_IF_ERROR(Find(stream, &queue));
<% if graph_capture %>
  if (queue->capture != nullptr) {
    queue->capture->works.push_back(std::move(work));
    return Status();
  }
<% endif %>
  Put(*queue, std::move(work), Point());
  return Status();
}

void HostQueues::Run(Queue& queue) {
  Lock lock(mutex_);
  while (true) {
    queue.filled.wait(lock, [&] { return !queue.items.empty() || queue.is_closing; });
    if (queue.items.empty()) return;
    DoFirst(queue, lock);
  }
}

void HostQueues::DoFirst(Queue& queue, Lock& lock) {
  Item& item = queue.items.front();  // stays where it is when others come behind it
  advanced_.wait(lock, [&] { return HasCome(item.after); });
  Status status;
  // What it waited for has failed: its own queue cannot go on either.
  if (item.after.queue != nullptr && item.after.queue->failed <= item.after.ticket) {
    status = item.after.queue->error;
  }
  const bool is_skipped = !queue.error.ok() || item.ticket <= queue.skipped;
  lock.unlock();
  if (!is_skipped && item.work != nullptr) status = RunWork(item.work);
  item.work = nullptr;  // lets go of what it owns before it counts as done
  lock.lock();
  if (!is_skipped && !status.ok()) {
    queue.error = std::move(status);
    queue.failed = item.ticket;
  }
  queue.done = item.ticket;
  queue.items.pop_front();
  advanced_.notify_all();
}

bool HostQueues::HasCome(const Point& point) noexcept {
  return point.queue == nullptr || point.queue->done >= point.ticket;
}

Status HostQueues::WaitFor(const Point& point, Lock& lock) {
  if (IsInQueue()) return WaitsForItself();
  advanced_.wait(lock, [&] { return HasCome(point); });
  Queue* queue = point.queue.get();
  if (queue == nullptr || queue->error.ok() || queue->failed > point.ticket) return Status();
  queue->skipped = queue->queued;
  return std::exchange(queue->error, Status());
}

bool HostQueues::IsInQueue() const noexcept {
  for (const auto& [stream, queue] : queues_) {
    if (queue->thread.get_id() == std::this_thread::get_id()) return true;
  }
  return false;
}

Status HostQueues::Synchronize(Stream stream) {
  Lock lock(mutex_);
  Point end;
  EP_RETURN_IF_ERROR(Find(stream, &end.queue));
<% if graph_capture %>
  if (end.queue->capture != nullptr) return Refuse(*end.queue->capture, "Synchronize");
<% endif %>
  end.ticket = end.queue->queued;
  return WaitFor(end, lock);
}

void HostQueues::WaitForAll() noexcept {
  Lock lock(mutex_);
  if (IsInQueue()) return;
  const Ticket now = last_ticket_;
  advanced_.wait(lock, [&] {
    for (const auto& [stream, queue] : queues_) {
      if (!queue->items.empty() && queue->items.front().ticket <= now) return false;
    }
    return true;
  });
}

Status HostQueues::CreateEvent(Event* event) {
  *event = nullptr;
  const Lock lock(mutex_);
  void* handle = nullptr;
  EP_RETURN_IF_ERROR(NewHandle(&handle));
  events_[handle];
  *event = handle;
  return Status();
}

// Who waits for it has its point.
void HostQueues::DestroyEvent(Event event) noexcept {
  const Lock lock(mutex_);
  events_.erase(event);
}

Status HostQueues::Record(Event event, Stream stream) {
  const Lock lock(mutex_);
  Point* point = nullptr;
  EP_RETURN_IF_ERROR(Find(event, &point));
  Point end;  // of no queue when there is no stream
  if (stream != nullptr) {
    EP_RETURN_IF_ERROR(Find(stream, &end.queue));
    end.ticket = end.queue->queued;
<% if graph_capture %>
    end.capture = end.queue->capture;
<% endif %>
  }
  *point = std::move(end);
  return Status();
}

Status HostQueues::WaitOnDevice(Event event, Stream stream) {
  if (stream == nullptr) return WaitOnHost(event);
  const Lock lock(mutex_);
  Point* point = nullptr;
  EP_RETURN_IF_ERROR(Find(event, &point));
  std::shared_ptr<Queue> queue;
  EP_RETURN_IF_ERROR(Find(stream, &queue));
<% if graph_capture %>
  bool is_captured = false;
  EP_RETURN_IF_ERROR(CheckWait(*queue, *point, &is_captured));
  if (is_captured) return Status();  // what is recorded is in order
<% endif %>
  Put(*queue, Work(), *point);
  return Status();
}

Status HostQueues::WaitOnHost(Event event) {
  Lock lock(mutex_);
  Point* point = nullptr;
  EP_RETURN_IF_ERROR(Find(event, &point));
  const Point end = *point;  // the record of now, whatever is recorded meanwhile
<% if graph_capture %>
  if (end.capture != nullptr) return Refuse(*end.capture, "WaitOnHost");
<% endif %>
  return WaitFor(end, lock);
}
<% if graph_capture %>

Status HostQueues::Refuse(Capture& capture, const char* call) {
  Status refusal = InvalidArgument(std::string(call) + " cannot be part of a captured graph");
  if (capture.error.ok()) capture.error = refusal;
  return refusal;
}

Status HostQueues::CheckHostCopy(const char* call, Stream stream) {
  const Lock lock(mutex_);
  const auto found = queues_.find(stream);
  if (found == queues_.end() || found->second->capture == nullptr) return Status();
  const std::string what = std::string(call) + " with memory of the host that the device does not reach";
  return Refuse(*found->second->capture, what.c_str());
}

<% if external_memory %>
Status HostQueues::CheckCall(const char* call, Stream stream) {
  const Lock lock(mutex_);
  const auto found = queues_.find(stream);
  if (found == queues_.end() || found->second->capture == nullptr) return Status();
  return Refuse(*found->second->capture, call);
}

<% endif %>
Status HostQueues::CheckStreamless(const char* call) {
  const Lock lock(mutex_);
  for (const auto& [stream, queue] : queues_) {
    if (queue->capture == nullptr || queue->capture->thread != std::this_thread::get_id()) continue;
    return Refuse(*queue->capture, (std::string(call) + " without a stream").c_str());
  }
  return Status();
}

Status HostQueues::CheckWait(const Queue& queue, const Point& point, bool* is_captured) {
  *is_captured = queue.capture != nullptr;
  if (queue.capture == point.capture) return Status();
  const bool has_come = point.queue == nullptr && point.capture == nullptr;  // was never recorded
  if (has_come) return Status();
  Capture& capture = queue.capture != nullptr ? *queue.capture : *point.capture;
  return Refuse(capture, "WaitOnDevice for an event of other work");
}

Status HostQueues::BeginCapture(Stream stream) {
  const Lock lock(mutex_);
  std::shared_ptr<Queue> queue;
  EP_RETURN_IF_ERROR(Find(stream, &queue));
  if (queue->capture != nullptr) return InvalidArgument("BeginCapture: the stream is captured already");
  if (!queue->items.empty() || !queue->error.ok()) {
    return InvalidArgument("BeginCapture: nobody has waited for what is in the stream");
  }
  queue->capture = std::make_shared<Capture>();
  queue->capture->thread = std::this_thread::get_id();
  return Status();
}

Status HostQueues::EndCapture(Stream stream, Graph* graph) {
  *graph = nullptr;
  const Lock lock(mutex_);
  std::shared_ptr<Queue> queue;
  EP_RETURN_IF_ERROR(Find(stream, &queue));
  if (queue->capture == nullptr) return InvalidArgument("EndCapture: the stream is not captured");
  if (queue->capture->thread != std::this_thread::get_id()) {
    return Refuse(*queue->capture, "EndCapture on another thread");
  }
  const std::shared_ptr<Capture> capture = std::exchange(queue->capture, nullptr);
  EP_RETURN_IF_ERROR(capture->error);
  void* handle = nullptr;
  EP_RETURN_IF_ERROR(NewHandle(&handle));
  graphs_[handle] = std::make_shared<const std::vector<Work>>(std::move(capture->works));
  *graph = handle;
  return Status();
}

Status HostQueues::Replay(Graph graph, Stream stream) {
  const Lock lock(mutex_);
  std::shared_ptr<Queue> queue;
  EP_RETURN_IF_ERROR(Find(stream, &queue));
  const auto found = graphs_.find(graph);
  if (found == graphs_.end()) return InvalidArgument("not a graph of this device, or one that has been destroyed");
  if (queue->capture != nullptr) return Refuse(*queue->capture, "Replay");
  for (size_t i = 0; i < found->second->size(); ++i) {
    Put(*queue, [works = found->second, i](Exec& exec) { return (*works)[i](exec); }, Point());
  }
  return Status();
}

// What is in a queue has its works.
void HostQueues::DestroyGraph(Graph graph) noexcept {
  const Lock lock(mutex_);
  graphs_.erase(graph);
}
<% endif %>

}  // namespace <%= ns %>
