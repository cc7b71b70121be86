<%= banner %>
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "abi/api.h"
<% if device_memory %>
#include "device/runtime.h"
<% endif %>
#include "gen/api/kernel.h"

namespace <%= ns %> {

// A row of the kernel table, with all that its kernels need to run in ORT.
struct KernelEntry {
  const Api* api;
  const KernelRow* row;
<% if device_memory %>
  Runtime* runtime;  // null: the kernels run on the host
<% endif %>
<% if cuda_library %>
  bool on_stream;  // the kernels run in ORT's own CUDA execution provider
<% endif %>
};

// Makes the kernel of one node. `entry` is the KernelEntry that was registered.
OrtStatus* ORT_API_CALL CreateKernel(void* entry, const OrtKernelInfo* info,
                                     OrtKernelImpl** kernel) noexcept;

// A Kernel as ORT calls it: fetches the inputs, allocates the outputs, computes.
class KernelAdapter final : public OrtKernelImpl {
 public:
  using Struct = OrtKernelImpl;

  explicit KernelAdapter(const KernelEntry& entry);
  Status Init(const OrtKernelInfo* info);

  const Api& api() const noexcept { return *entry_.api; }
  // `status` with the op and the node in its text.
  Status Located(const Status& status) const;

 private:
  Status Execute(OrtKernelContext* context);  // the callback

  Status Run(OrtKernelContext* context) const;
<% if device_memory %>
  // ViewTensor, with an address that kernels can use.
  Status View(const OrtValue* value, bool on_host, Tensor* tensor) const;
<% endif %>

  const KernelEntry entry_;
  const KernelRow& row_;
  std::string label_;
  std::vector<std::string> input_names_;
  size_t output_count_ = 0;
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace <%= ns %>
