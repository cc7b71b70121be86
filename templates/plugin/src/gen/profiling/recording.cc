<%= banner %>
#include "gen/profiling/recording.h"

#include <algorithm>
#include <iterator>
#include <utility>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <windows.h>
#elif defined(__APPLE__)
#include <pthread.h>
#include <unistd.h>
#else
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace <%= ns %> {

int32_t ThreadNumber() noexcept {
#if defined(_WIN32)
  return static_cast<int32_t>(GetCurrentThreadId());
#elif defined(__APPLE__)
  uint64_t number = 0;
  pthread_threadid_np(nullptr, &number);
  return static_cast<int32_t>(number);
#else
  return static_cast<int32_t>(syscall(SYS_gettid));
#endif
}

int32_t ProcessNumber() noexcept {
#if defined(_WIN32)
  return static_cast<int32_t>(GetCurrentProcessId());
#else
  return static_cast<int32_t>(getpid());
#endif
}

void Recording::Start(int64_t offset_ns) {
  const std::lock_guard<std::mutex> lock(mutex_);
  start_ = ProfilingClock::now();
  offset_ns_ = offset_ns;
  open_.clear();
  events_.clear();
}

void Recording::Open(uint64_t id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  open_[ThreadNumber()].push_back({id, {}});
}

void Recording::Close(uint64_t id, const HostEvent& event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto here = open_.find(ThreadNumber());
  if (here == open_.end()) return;
  std::vector<OpenEvent>& nested = here->second;
  const auto is_it = [id](const OpenEvent& each) { return each.id == id; };
  const auto found = std::find_if(nested.rbegin(), nested.rend(), is_it);
  if (found == nested.rend()) return;
  // ORT's clock was read a moment before Open and a moment before Close, and its microseconds are
  // rounded: the parent's own times say where an event may lie.
  const int64_t first = event.begin_us;
  const int64_t last = event.begin_us + std::max<int64_t>(event.duration_us, 0);
  for (Activity& each : found->activities) {
    const int64_t begin = std::clamp(ToMicroseconds(each.begin), first, last);
    const int64_t end = std::clamp(ToMicroseconds(each.end), begin, last);
    events_.push_back({std::move(each.op), std::move(each.node), event.name, here->first, begin,
                       end - begin});
  }
  nested.erase(std::prev(found.base()), nested.end());
  if (nested.empty()) open_.erase(here);
}

void Recording::Add(const Activity& activity) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto here = open_.find(ThreadNumber());
  if (here != open_.end()) here->second.back().activities.push_back(activity);
}

std::vector<KernelEvent> Recording::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  open_.clear();  // whose ends ORT does not report any more
  return std::exchange(events_, {});
}

int64_t Recording::ToMicroseconds(ProfilingClock::time_point time) const noexcept {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  return (offset_ns_ + duration_cast<nanoseconds>(time - start_).count()) / 1000;
}

}  // namespace <%= ns %>
