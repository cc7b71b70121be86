<%= banner %>
#pragma once

#include "abi/ep.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// Registers MemcpyFromHost and MemcpyToHost, which ORT puts into a graph where a value crosses
// between the host and the device.
Status AddMemcpyKernels(const Api& api, OrtKernelRegistry* registry);

class MemcpyKernel final : public OrtKernelImpl {
 public:
  using Struct = OrtKernelImpl;

  explicit MemcpyKernel(const Ep& ep);

  const Api& api() const noexcept { return ep_.api(); }

 private:
  Status Execute(OrtKernelContext* context);  // the callback

  const Ep& ep_;
};

}  // namespace <%= ns %>
