<%= banner %>
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "gen/profiling/recording.h"

namespace <%= ns %> {

// Where a session's kernels tell what they do, for the profilers that are at work. There may be
// none, or several: one for each run that is profiled.
class EventSink {
 public:
  // Would anybody record an activity?
  bool wanted() const noexcept { return wanted_.load(std::memory_order_relaxed); }
  void Add(const Activity& activity);

  // `recording` is added to until it is detached.
  void Attach(Recording* recording);
  void Detach(Recording* recording) noexcept;

 private:
  std::mutex mutex_;
  std::atomic<bool> wanted_{false};
  std::vector<Recording*> recordings_;
};

// Tells the sink how long this object has lived; costs nothing while nobody profiles.
class EventScope {
 public:
  EventScope(EventSink* sink, const std::string& op, const std::string& node) noexcept
      : sink_(sink != nullptr && sink->wanted() ? sink : nullptr), op_(op), node_(node) {
    if (sink_ != nullptr) begin_ = ProfilingClock::now();
  }
  EventScope(const EventScope&) = delete;
  EventScope& operator=(const EventScope&) = delete;
  ~EventScope();

 private:
  EventSink* const sink_;  // null: nobody wants to know
  const std::string& op_;
  const std::string& node_;
  ProfilingClock::time_point begin_;
};

}  // namespace <%= ns %>
