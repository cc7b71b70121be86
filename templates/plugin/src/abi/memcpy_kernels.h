<%= banner %>
#pragma once

<% if profiler %>
#include <string>

<% endif %>
#include "abi/ep.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// Registers MemcpyFromHost and MemcpyToHost, which ORT puts into a graph where a value crosses
// between the host and the device.
Status AddMemcpyKernels(const Api& api, OrtKernelRegistry* registry);

class MemcpyKernel final : public OrtKernelImpl {
 public:
  using Struct = OrtKernelImpl;

<% if profiler %>
  MemcpyKernel(const Ep& ep, std::string op, std::string node);
<% else %>
  explicit MemcpyKernel(const Ep& ep);
<% endif %>

  const Api& api() const noexcept { return ep_.api(); }

 private:
  Status Execute(OrtKernelContext* context);  // the callback
<% if graph_capture %>
  Status Attempt(OrtKernelContext* context);
<% endif %>

  const Ep& ep_;
<% if profiler %>
  const std::string op_;
  const std::string node_;
<% endif %>
};

}  // namespace <%= ns %>
