<%= banner %>
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "abi/api.h"
#include "abi/ep.h"
#include "abi/node_reader.h"
#include "gen/api/kernel.h"

namespace <%= ns %> {

// Creates the kernel of one node. `state` is the KernelRow.
OrtStatus* ORT_API_CALL CreateKernel(void* state, const OrtKernelInfo* info,
                                     OrtKernelImpl** kernel) noexcept;

// A Kernel as ORT calls it: fetches the inputs, allocates the outputs, computes.
class KernelAdapter : public OrtKernelImpl {
 public:
  using Struct = OrtKernelImpl;

  KernelAdapter(const Ep& ep, const KernelRow& row);
  Status Init(const OrtKernelInfo* info);

  const Api& api() const noexcept { return ep_.api(); }

 private:
  // The slot of OrtKernelImpl.
  Status Execute(OrtKernelContext* context);

  Status Run(OrtKernelContext* context) const;
  Status FetchInput(const OrtKernelContext* context, size_t index, Tensor* tensor,
                    bool* present) const;
  // Allocates the output; `output` stays without data when nobody asked for it.
  Status MakeOutput(OrtKernelContext* context, size_t index, const Shape& shape,
                    MutableTensor* output, bool* wanted) const;

  const Ep& ep_;
  const KernelRow& row_;
  std::string label_;  // "Relu node 'relu_1'": what messages begin with
  std::vector<std::string> input_names_;
  size_t output_count_ = 0;
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace <%= ns %>
