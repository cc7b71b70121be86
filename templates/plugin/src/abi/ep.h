<%= banner %>
#pragma once

<% if compiled %>
#include <cstddef>
<% endif %>
<% if compiled or profiler or dynamic_options or graph_capture %>
#include <memory>
<% endif %>
<% if not compiled %>
#include <set>
<% endif %>
#include <string>

<% if compiled %>
#include "abi/claim.h"
#include "abi/compute_info.h"
<% if contexts %>
#include "abi/contexts.h"
<% endif %>
<% endif %>
#include "abi/factory.h"
<% if graph_capture %>
#include "abi/graph_capture.h"
<% endif %>
<% if compiled %>
#include "abi/graph_reader.h"
<% endif %>
#include "abi/logger.h"
#include "gen/api/status.h"
<% if options %>
#include "gen/options.h"
<% endif %>
<% if profiler %>
#include "gen/profiling/event_sink.h"
<% endif %>

namespace <%= ns %> {

// The execution provider of one session.
class Ep final : public OrtEp {
 public:
  using Struct = OrtEp;

<% if contexts %>
  // `rule` is that of the session's device.
  Ep(Factory& factory, const Logger& logger, const DeviceRule& rule);
<% else %>
  Ep(Factory& factory, const Logger& logger);
<% endif %>
  // Reads what the session wants of us; what it does not get is an error. `session` is only lent.
  Status Init(const OrtSessionOptions* session);
<% if default_memory %>
  // `device` is where the session's tensors live.
  void set_memory(const OrtMemoryDevice* device) noexcept { memory_ = device; }
<% endif %>

  Factory& factory() const noexcept { return factory_; }
  const Api& api() const noexcept { return factory_.api(); }
<% if options %>
  const Options& options() const noexcept { return options_; }
<% endif %>
<% if profiler %>
  // Where its kernels tell what they do.
  EventSink* events() const noexcept { return events_.get(); }
<% endif %>
<% if graph_capture %>
  // Null where the session does not want its runs captured.
  const std::shared_ptr<GraphCapture>& capture() const noexcept { return capture_; }
<% endif %>

 private:
  // The callbacks.
  const char* Name() const { return <%= "api().identity->ep_name" if several else "kEpName" %>; }
  Status Claim(const OrtGraph* graph, OrtEpGraphSupportInfo* support);
<% if compiled %>
  Status CompileGroups(const OrtGraph** graphs, const OrtNode** fused, size_t count,
                       OrtNodeComputeInfo** infos, OrtNode** context_nodes);
  void ReleaseGroups(OrtNodeComputeInfo** infos, size_t count);
<% endif %>
<% if registry %>
  Status KernelsOfAllSessions(const OrtKernelRegistry** kernels) {
    return factory_.GetKernelRegistry(kernels);
  }
<% endif %>
  Status ConcurrentRuns(bool* supported) {
    *supported = true;  // kernels are immutable, and so is everything else that a run touches
<% if graph_capture %>
    if (capture_ != nullptr) *supported = false;  // one queue, and one run that is captured in it
<% endif %>
    return Status();
  }
<% if nhwc %>
  Status PreferredLayout(OrtEpDataLayout* layout) {
    *layout = OrtEpDataLayout_NHWC;
    return Status();
  }
  Status ConvertsLayout(const char* domain, const char* op, OrtEpDataLayout layout,
                        int* converts);
<% endif %>
<% if default_memory %>
  Status DefaultMemory(const OrtMemoryDevice** device) const {
    *device = memory_;
    return Status();
  }
<% endif %>
<% if streams %>
  Status MakeStream(const OrtMemoryDevice* device, OrtSyncStreamImpl** stream);
<% if target >= 25 %>
  Status WaitForDevice() { return factory_.order().WaitForAll(); }
<% endif %>
<% endif %>
<% if graph_capture %>
  Status EnableCapture();
  bool CapturesGraphs() const { return capture_ != nullptr; }
  bool HasGraph(int id) const { return capture_->Has(id); }
  Status ReplayCaptured(int id) { return capture_->Replay(id); }
  // Only what is queued on the device is replayed: a node of the CPU's would not run again.
  OrtGraphCaptureNodeAssignmentPolicy NodesOfGraph() const {
    return OrtGraphCaptureNodeAssignmentPolicy_ALL_NODES_ON_EP;
  }
  Status BeginRun(const OrtRunOptions* options) { return capture_->BeginRun(options); }
  Status EndRun(const OrtRunOptions* options, bool /*synchronize*/) {
    return capture_->EndRun(options);
  }
<% if target >= 27 %>
  Status ReleaseGraph(int id) { return capture_->Release(id); }
<% endif %>
<% endif %>
<% if resource_accounting %>
  Status RemainingMemory(OrtResourceCount* available) const;
<% endif %>
<% if dynamic_options %>
  Status ChangeOptions(const char* const* keys, const char* const* values, size_t count);
<% endif %>
<% if profiler %>
  Status MakeProfiler(OrtEpProfilerImpl** profiler);
<% endif %>
<% if contexts %>
  const char* Compatibility(const OrtGraph* /*graph*/) { return compatibility_.c_str(); }
<% if target >= 27 %>
  Status KeepContexts() {
    contexts_.Commit();
    return Status();
  }
<% endif %>
<% if weightless != "none" and target >= 29 %>
  Status Weightless(OrtWeightlessSupport* support) const {
    *support = OrtWeightlessSupport_<% if weightless == "all" %>ALL<% else %>EXTERNAL_ONLY<% endif %>;
<% if weightless == "all" and target >= 32 %>
    // Older runtimes have one word for both.
    if (api().level >= 32) *support = OrtWeightlessSupport_ALL_OR_EXTERNAL_ONLY;
<% endif %>
    return Status();
  }
<% endif %>
<% if data_callbacks and target >= 31 %>
  Status ContextData(uint32_t* flags) const {
    *flags = 3;  // read and write
    return Status();
  }
<% endif %>
<% endif %>

<% if compiled %>
  // Makes what runs one group, which has `node_count` nodes.
  Status CompileGroup(const OrtGraph* graph, const OrtNode* fused, GraphReader* reader,
                      std::unique_ptr<ComputeInfo>* info, size_t* node_count);
<% if contexts %>
  // ... or a group that is an EPContext node.
  Status LoadGroup(const OrtGraph* graph, const OrtNode* fused, const OrtNode* node,
                   std::unique_ptr<ComputeInfo>* info);
<% endif %>
  // Calls the compile hook, with what it may know of the session.
  Status Make(CompileRequest request, std::unique_ptr<ComputeInfo>* info) const;
<% else %>
  // Claims one node, or leaves the reason why not in `refusal`.
  Status Consider(const OrtNode* node, OrtEpGraphSupportInfo* support, std::string* refusal);
<% endif %>

  Factory& factory_;
  const Logger logger_;
<% if default_memory %>
  const OrtMemoryDevice* memory_ = nullptr;  // the factory's
<% endif %>
<% if options %>
<% if dynamic_options %>
  Options options_;  // that the session begins with
  std::shared_ptr<LiveOptions> live_options_;
<% else %>
  Options options_;
<% endif %>
<% endif %>
<% if graph_capture %>
  std::shared_ptr<GraphCapture> capture_;  // kernels and streams have it, too
<% endif %>
<% if profiler %>
  const std::shared_ptr<EventSink> events_ = std::make_shared<EventSink>();
<% endif %>
<% if contexts %>
  Contexts contexts_;
  const std::string compatibility_;  // written into the models that the session compiles
<% endif %>
<% if compiled %>
  Claimer claimer_;
<% else %>
  std::set<std::string> refusals_;  // those that have been logged
<% endif %>
};

}  // namespace <%= ns %>
