<%= banner %>
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "abi/api.h"
#include "abi/factory.h"
#include "gen/api/status.h"
#include "gen/graph/executable.h"
<% if profiler %>
#include "gen/profiling/event_sink.h"
<% endif %>

namespace <%= ns %> {

// A compiled group as ORT runs it, in the place of the fused node.
class ComputeInfo final : public OrtNodeComputeInfo {
 public:
  using Struct = OrtNodeComputeInfo;

  ComputeInfo(const Factory& factory, std::unique_ptr<Executable> executable);

  // Finds the inputs and outputs of the executable among those of the fused node: by name.
  Status Connect(const OrtNode* fused);
<% if contexts %>
  // ... or by their position at `context`, the EPContext node that the executable was loaded for;
  // the names there may have been changed since.
  Status Connect(const OrtNode* fused, const OrtNode* context);
<% endif %>

  const Api& api() const noexcept { return factory_.api(); }
  const Executable& executable() const noexcept { return *executable_; }
<% if profiler %>
  // Who is told what it does; outlives it.
  void set_events(EventSink* events) noexcept { events_ = events; }
<% endif %>

 private:
  // The callbacks. There is no state: runs may overlap, and share nothing.
  Status Start(OrtNodeComputeContext* context, void** state);
  Status Run(void* state, OrtKernelContext* context);
<% if profiler %>
  // Reads what the fused node is called.
  Status Name(const OrtNode* fused);
<% endif %>
  void End(void* state);

  const Factory& factory_;
  const std::unique_ptr<Executable> executable_;
  std::vector<size_t> inputs_;   // input i of the executable: which of the fused node's
  std::vector<size_t> outputs_;  // likewise; kUnwanted for one that nobody reads
<% if profiler %>
  EventSink* events_ = nullptr;
  std::string op_;    // of the fused node
  std::string node_;  // likewise
<% endif %>
};

}  // namespace <%= ns %>
