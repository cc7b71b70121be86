<%= banner %>
#pragma once

#include <vector>

#include "abi/api.h"
#include "abi/handles.h"
#include "gen/api/kernel.h"

namespace <%= ns %> {

// The masks of a row: bit i speaks of input or output i.
inline constexpr size_t kMaskBits = 64;
constexpr bool HasBit(uint64_t mask, size_t index) noexcept {
  return index < kMaskBits && (mask >> index & 1) != 0;
}

// What ORT hands back when it wants a kernel of the registry made.
struct KernelEntry {
  const Api* api;
  const KernelRow* row;
};

// The kernels of the table that are ready<% if compiled %> and meant for it<% endif %>, registered with ORT<% if device_memory %>, and those that copy to and from the device<% endif %>.
class Registry {
 public:
  explicit Registry(const Api& api) : api_(api), registry_(*api.ep) {}
  Status Init();

  const OrtKernelRegistry* get() const noexcept { return registry_.get(); }

 private:
  Status Add(const KernelRow& row);

  const Api& api_;
  Handle<&OrtEpApi::ReleaseKernelRegistry> registry_;
  std::vector<KernelEntry> entries_;  // never grows after Init: ORT keeps pointers to them
};

}  // namespace <%= ns %>
