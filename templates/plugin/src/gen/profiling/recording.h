<%= banner %>
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace <%= ns %> {

// The clock that ORT's profiles are made with, so that both sides' times can be compared.
using ProfilingClock = std::chrono::high_resolution_clock;

// What one kernel, or one group of nodes that was compiled, has done.
struct Activity {
  std::string op;
  std::string node;
  ProfilingClock::time_point begin;
  ProfilingClock::time_point end;
};

// An event of ORT's in which kernels run. Times are those of its profile.
struct HostEvent {
  std::string name;
  int64_t begin_us = 0;
  int64_t duration_us = 0;
};

// An activity on ORT's time scale.
struct KernelEvent {
  std::string op;
  std::string node;
  std::string parent;  // the name of the host event
  int32_t thread = 0;  // the system's number of it, as in ORT's own events
  int64_t begin_us = 0;
  int64_t duration_us = 0;
};

// What one profiler records: the activities within each of ORT's events. An activity belongs to the
// innermost event that is open on its thread; when that ends, it is put onto ORT's time scale, with
// both ends inside the event's. Calls may come from several threads at once.
class Recording {
 public:
  // Forgets what there was. ORT's profile is `offset_ns` old.
  void Start(int64_t offset_ns);
  // An event of ORT's begins or ends on this thread. Events on one thread are nested; `id` is the
  // same at both ends, but an event may begin with the same one as the event around it.
  void Open(uint64_t id);
  void Close(uint64_t id, const HostEvent& event);
  // Something was done on this thread. Where none of ORT's events is open here, it was for somebody
  // else's profile.
  void Add(const Activity& activity);
  // The events that are complete, in the order in which their parents ended.
  std::vector<KernelEvent> Take();

 private:
  struct OpenEvent {
    uint64_t id;
    std::vector<Activity> activities;
  };

  int64_t ToMicroseconds(ProfilingClock::time_point time) const noexcept;

  std::mutex mutex_;
  ProfilingClock::time_point start_;
  int64_t offset_ns_ = 0;
  std::unordered_map<int32_t, std::vector<OpenEvent>> open_;  // by thread, outermost event first
  std::vector<KernelEvent> events_;
};

// The number that the system has given to this thread, as far as it fits.
int32_t ThreadNumber() noexcept;
// ... and to this process.
int32_t ProcessNumber() noexcept;

}  // namespace <%= ns %>
