<%= banner %>
#include "gen/profiling/event_sink.h"

#include <algorithm>
#include <exception>

namespace <%= ns %> {

void EventSink::Add(const Activity& activity) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Recording* recording : recordings_) recording->Add(activity);
}

void EventSink::Attach(Recording* recording) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find(recordings_.begin(), recordings_.end(), recording);
  if (found == recordings_.end()) recordings_.push_back(recording);
  wanted_ = true;
}

void EventSink::Detach(Recording* recording) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find(recordings_.begin(), recordings_.end(), recording);
  if (found != recordings_.end()) recordings_.erase(found);
  wanted_ = !recordings_.empty();
}

EventScope::~EventScope() {
  if (sink_ == nullptr) return;
  const ProfilingClock::time_point end = ProfilingClock::now();
  try {
    sink_->Add({op_, node_, begin_, end});
  } catch (const std::exception&) {
    // There is no memory left for the event. What was computed is none the worse for that.
  }
}

}  // namespace <%= ns %>
