<%= banner %>
#pragma once

#include <vector>

#include "abi/api.h"
#include "abi/handles.h"
#include "abi/kernel_adapter.h"

namespace <%= ns %> {

// The kernels of the table that are ready<% if compiled %> and meant for it<% endif %>, registered with ORT<% if device_memory %>, and those that copy to and from the device<% endif %>.
class Registry {
 public:
<% if device_memory %>
  Registry(const Api& api, Runtime& runtime)
      : api_(api), runtime_(runtime), registry_(*api.ep) {}
<% else %>
  explicit Registry(const Api& api) : api_(api), registry_(*api.ep) {}
<% endif %>
  Status Init();

  const OrtKernelRegistry* get() const noexcept { return registry_.get(); }

 private:
<% if control_flow %>
  Status Add(const KernelRow& row, OrtKernelCreateFunc create);
<% else %>
  Status Add(const KernelRow& row);
<% endif %>
<% if custom_ops %>
  Status AddTypes(const KernelRow& row, OrtKernelDefBuilder* builder) const;
  // One constraint, which is what the types of `rule` are called in a schema.
  Status AddTypes(const TypeRule& rule, const char* constraint,
                  OrtKernelDefBuilder* builder) const;
<% endif %>

  const Api& api_;
<% if device_memory %>
  Runtime& runtime_;
<% endif %>
  Handle<&OrtEpApi::ReleaseKernelRegistry> registry_;
  std::vector<KernelEntry> entries_;  // never grows after Init: ORT keeps pointers to them
};

}  // namespace <%= ns %>
