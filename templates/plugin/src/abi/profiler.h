<%= banner %>
#pragma once

#include <memory>

#include "abi/api.h"
#include "gen/api/status.h"
#include "gen/profiling/event_sink.h"

namespace <%= ns %> {

// One profile of a session or of a run: ORT tells of its own events, the kernels of theirs.
class Profiler final : public OrtEpProfilerImpl {
 public:
  using Struct = OrtEpProfilerImpl;

  Profiler(const Api& api, std::shared_ptr<EventSink> sink);
  ~Profiler();
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  const Api& api() const noexcept { return api_; }

 private:
  // The callbacks.
  Status Begin(int64_t offset_ns);
  Status OpenEvent(uint64_t id);
  Status CloseEvent(uint64_t id, const OrtProfilingEvent* event);
  Status End(OrtProfilingEventsContainer* container);

  const Api api_;
  const std::shared_ptr<EventSink> sink_;  // ORT may keep a profiler longer than its session's EP
  Recording recording_;
};

<% if registry %>
// CreateKernel, for a kernel that tells what it does.
OrtStatus* ORT_API_CALL CreateProfiledKernel(void* entry, const OrtKernelInfo* info,
                                             OrtKernelImpl** kernel) noexcept;

<% endif %>
}  // namespace <%= ns %>
