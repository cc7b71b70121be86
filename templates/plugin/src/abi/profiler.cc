<%= banner %>
#include "abi/profiler.h"

#include <iterator>
#include <utility>
#include <vector>

#include "abi/bridge.h"
<% if registry %>
#include "abi/ep.h"
<% endif %>
#include "abi/guard.h"
#include "abi/handles.h"
<% if registry %>
#include "abi/kernel_adapter.h"
<% endif %>

namespace <%= ns %> {
namespace {

using ProfilingEvent = Handle<&OrtEpApi::ReleaseProfilingEvent>;

Status MakeEvent(const Api& api, const KernelEvent& event, ProfilingEvent* made) {
  const char* const keys[] = {"op_name", "node_name", "parent_name", "provider"};
  const char* const values[] = {event.op.c_str(), event.node.c_str(), event.parent.c_str(),
                                <%= "api.identity->ep_name" if several else "kEpName" %>};
  EP_ORT(api, ep->CreateProfilingEvent(OrtProfilingEventCategory_KERNEL, ProcessNumber(),
                                       event.thread, event.op.c_str(), event.begin_us,
                                       event.duration_us, keys, values, std::size(keys),
                                       made->out()));
  return Status();
}

}  // namespace

Profiler::Profiler(const Api& api, std::shared_ptr<EventSink> sink)
    : OrtEpProfilerImpl(Stamped<OrtEpProfilerImpl>(api)), api_(api), sink_(std::move(sink)) {
  Release = Delete<Profiler>;
  StartProfiling = Callback<&Profiler::Begin>::Call;
  StartEvent = Callback<&Profiler::OpenEvent>::Call;
  StopEvent = Callback<&Profiler::CloseEvent>::Call;
  EndProfiling = Callback<&Profiler::End>::Call;
}

Profiler::~Profiler() { sink_->Detach(&recording_); }

Status Profiler::Begin(int64_t offset_ns) {
  recording_.Start(offset_ns);
  sink_->Attach(&recording_);
  return Status();
}

Status Profiler::OpenEvent(uint64_t id) {
  recording_.Open(id);
  return Status();
}

Status Profiler::CloseEvent(uint64_t id, const OrtProfilingEvent* event) {
  HostEvent parent;
  const char* name = "";
  EP_ORT(api_, ep->ProfilingEvent_GetName(event, &name));
  EP_ORT(api_, ep->ProfilingEvent_GetTimestampUs(event, &parent.begin_us));
  EP_ORT(api_, ep->ProfilingEvent_GetDurationUs(event, &parent.duration_us));
  parent.name = name;
  recording_.Close(id, parent);
  return Status();
}

Status Profiler::End(OrtProfilingEventsContainer* container) {
  sink_->Detach(&recording_);
  std::vector<ProfilingEvent> events;
  std::vector<const OrtProfilingEvent*> views;
  for (const KernelEvent& each : recording_.Take()) {
    ProfilingEvent made(*api_.ep);
    EP_RETURN_IF_ERROR(MakeEvent(api_, each, &made));
    views.push_back(made.get());
    events.push_back(std::move(made));
  }
  if (views.empty()) return Status();  // which ORT would take for an error
  return FromOrt(api_, api_.ep->ProfilingEventsContainer_AddEvents(container, views.data(),
                                                                   views.size()));
}
<% if registry %>

OrtStatus* ORT_API_CALL CreateProfiledKernel(void* entry, const OrtKernelInfo* info,
                                             OrtKernelImpl** kernel) noexcept {
  const Api& api = *static_cast<const KernelEntry*>(entry)->api;
  OrtStatus* failure = <% if graph_capture %>CreateCapturedKernel<% else %>CreateKernel<% endif %>(entry, info, kernel);
  if (failure != nullptr) return failure;
  const OrtEp* ep = nullptr;
  failure = api.ep->KernelInfo_GetEp(info, &ep);
  if (failure == nullptr) {
    static_cast<KernelAdapter*>(*kernel)->set_events(static_cast<const Ep*>(ep)->events());
  } else {
    (*kernel)->Release(std::exchange(*kernel, nullptr));
  }
  return failure;
}
<% endif %>

}  // namespace <%= ns %>
