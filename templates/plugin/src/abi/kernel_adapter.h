<%= banner %>
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "abi/ep.h"
#include "gen/api/kernel.h"

namespace <%= ns %> {

// Makes the kernel of one node. `entry` is the KernelEntry that was registered.
OrtStatus* ORT_API_CALL CreateKernel(void* entry, const OrtKernelInfo* info,
                                     OrtKernelImpl** kernel) noexcept;

// A Kernel as ORT calls it: fetches the inputs, allocates the outputs, computes.
class KernelAdapter final : public OrtKernelImpl {
 public:
  using Struct = OrtKernelImpl;

  KernelAdapter(const Ep& ep, const KernelRow& row);
  Status Init(const OrtKernelInfo* info);

  const Api& api() const noexcept { return ep_.api(); }

 private:
  Status Execute(OrtKernelContext* context);  // the callback

  Status Run(OrtKernelContext* context) const;
<% if device_memory %>
  // ViewTensor, with an address that kernels can use.
  Status View(const OrtValue* value, bool on_host, Tensor* tensor) const;
<% endif %>
  // `status` with the op and the node in its text.
  Status Located(const Status& status) const;

  const Ep& ep_;
  const KernelRow& row_;
  std::string label_;
  std::vector<std::string> input_names_;
  size_t output_count_ = 0;
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace <%= ns %>
