<%= banner %>
#pragma once

<% if compiled %>
#include <cstddef>
#include <memory>
<% else %>
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
<% if compiled %>
#include "abi/graph_reader.h"
<% endif %>
#include "abi/logger.h"
#include "gen/api/status.h"
<% if options %>
#include "gen/options.h"
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

 private:
  // The callbacks.
  const char* Name() const { return kEpName; }
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
    return Status();
  }
<% if default_memory %>
  Status DefaultMemory(const OrtMemoryDevice** device) const {
    *device = memory_;
    return Status();
  }
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
  Options options_;
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
