<%= banner %>
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
<% if graph_capture %>
#include <vector>
<% endif %>

#include "device/runtime.h"

namespace <%= ns %> {

// Runs `work` on this thread; what it throws is an error like any other.
Status RunWork(const Work& work);

// The queues of a simulated device, each with a thread that does its work, and events in them. See
// device/runtime.h for what each call promises.
class HostQueues {
 public:
  HostQueues() = default;
  HostQueues(const HostQueues&) = delete;
  HostQueues& operator=(const HostQueues&) = delete;
  ~HostQueues() { DestroyAll(); }

  // Handles are addresses in this range, which is only a name for things: no two devices have the
  // same, none comes twice, and nobody can follow one.
  void Init(char* handles, size_t size) noexcept {
    handles_ = handles;
    handle_count_ = size;
  }

  Status Create(Stream* stream);
  void Destroy(Stream stream) noexcept;
  void DestroyAll() noexcept;

  // `stream` is not null.
  Status Push(Stream stream, Work work);
  Status Synchronize(Stream stream);
  // Waits for what is in any queue by now. Not in the work of a queue, where that might never end:
  // such work frees only what nothing else uses.
  void WaitForAll() noexcept;

  Status CreateEvent(Event* event);
  void DestroyEvent(Event event) noexcept;
  Status Record(Event event, Stream stream);
  Status WaitOnDevice(Event event, Stream stream);
  Status WaitOnHost(Event event);
<% if graph_capture %>

  Status BeginCapture(Stream stream);
  Status EndCapture(Stream stream, Graph* graph);
  Status Replay(Graph graph, Stream stream);
  void DestroyGraph(Graph graph) noexcept;
  // An error where the queue, or the calling thread, captures. The capture has failed then.
  Status CheckHostCopy(const char* call, Stream stream);
  Status CheckStreamless(const char* call);
<% endif %>
<% if graph_capture and external_memory %>
  Status CheckCall(const char* call, Stream stream);
<% endif %>

 private:
  // Numbers what is put into queues, in the order over all of them.
  using Ticket = uint64_t;
  struct Queue;

<% if graph_capture %>
  // What is recorded of a queue.
  struct Capture {
    std::thread::id thread;
    std::vector<Work> works;
    Status error;  // the first; then there is no graph
  };
  using Works = std::shared_ptr<const std::vector<Work>>;

<% endif %>
  // The end of a queue at some time; of none, it has always come.
  struct Point {
    std::shared_ptr<Queue> queue;
    Ticket ticket = 0;
<% if graph_capture %>
    std::shared_ptr<Capture> capture;  // it was recorded there, and never comes on the host
<% endif %>
  };

  struct Item {
    Ticket ticket;
    Work work;    // empty when it only waits
    Point after;  // comes before it
  };

  struct Queue {
    std::thread thread;
    std::condition_variable filled;
    std::deque<Item> items;  // the first one is being done
    bool is_closing = false;
    Ticket queued = 0;  // the last that was put in
    Ticket done = 0;    // the last that has been done
    Status error;       // of `failed`, until somebody has seen it
    Ticket failed = 0;
    Ticket skipped = 0;  // up to here nothing is done: it was put in before the error was seen
<% if graph_capture %>
    std::shared_ptr<Capture> capture;  // null: work is done, not recorded
<% endif %>
  };
  using Lock = std::unique_lock<std::mutex>;

  Status NewHandle(void** handle);
  Status Find(Stream stream, std::shared_ptr<Queue>* queue) const;
  Status Find(Event event, Point** point);
  void Put(Queue& queue, Work work, Point after);
  // The loop of a queue's thread.
  void Run(Queue& queue);
  void DoFirst(Queue& queue, Lock& lock);
  static bool HasCome(const Point& point) noexcept;
  // Waits for `point`, and returns the error before it that nobody has seen yet.
  Status WaitFor(const Point& point, Lock& lock);
  // The caller is the work of a queue, which might wait for itself.
  bool IsInQueue() const noexcept;
  void Close(const std::shared_ptr<Queue>& queue, Lock& lock) noexcept;
<% if graph_capture %>
  static Status Refuse(Capture& capture, const char* call);
  // A queue's wait for a point, where one of them is captured. Else `is_captured` is false.
  static Status CheckWait(const Queue& queue, const Point& point, bool* is_captured);
<% endif %>

  char* handles_ = nullptr;
  size_t handle_count_ = 0;
  mutable std::mutex mutex_;  // of all that follows
  std::condition_variable advanced_;  // work has been done, in some queue
  size_t last_handle_ = 0;
  Ticket last_ticket_ = 0;
  std::map<Stream, std::shared_ptr<Queue>> queues_;
  std::map<Event, Point> events_;
<% if graph_capture %>
  std::map<Graph, Works> graphs_;
<% endif %>
};

}  // namespace <%= ns %>
