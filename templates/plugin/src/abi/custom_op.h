<%= banner %>
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "abi/api.h"
#include "abi/kernel_adapter.h"
#include "gen/api/kernel.h"
#include "gen/api/status.h"
#include "gen/custom_ops.h"

namespace <%= ns %> {

// A custom operator as ORT knows it: its schema, what shapes it makes, and a kernel for the host,
// for nodes that no execution provider takes.
class CustomOp final : public OrtCustomOp {
 public:
  using Struct = OrtCustomOp;

<% if cuda_library %>
  // `on_stream`: the kernels are for ORT's own CUDA execution provider.
  CustomOp(const Api& api, const CustomOpSchema& schema, bool on_stream = false);
<% else %>
  CustomOp(const Api& api, const CustomOpSchema& schema);
<% endif %>
  CustomOp(const CustomOp&) = delete;
  CustomOp& operator=(const CustomOp&) = delete;

  const Api& api() const noexcept { return *entry_.api; }

 private:
  // The callbacks. A kernel of ours is an OrtKernelImpl.
  const char* Name() const { return schema_.op; }
  const char* Provider() const;
  int SinceVersion() const { return schema_.since; }
  size_t InputCount() const { return schema_.input_count; }
  size_t OutputCount() const { return schema_.output_count; }
  ONNXTensorElementDataType InputType(size_t index) const;
  ONNXTensorElementDataType OutputType(size_t index) const;
  OrtCustomOpInputOutputCharacteristic InputKind(size_t index) const;
  OrtCustomOpInputOutputCharacteristic OutputKind(size_t index) const;
  OrtMemType InputMemory(size_t index) const;
  int Arity() const { return 1; }        // the fewest tensors of a variadic input or output
  int Homogeneity() const { return 1; }  // they are all of one type
  Status InferShapes(OrtShapeInferContext* context) const;
  Status MakeKernel(const OrtApi* ort, const OrtKernelInfo* info, void** kernel) const;
  static OrtStatus* ORT_API_CALL ComputeKernel(void* kernel, OrtKernelContext* context) noexcept;
  static void ORT_API_CALL DestroyKernel(void* kernel) noexcept;

  const CustomOpSchema& schema_;
  KernelRow row_{};  // the table's, changed for what is computed here
  KernelEntry entry_{};
  mutable std::atomic<uint64_t> unknown_dims_{0};  // that have got a name
};

}  // namespace <%= ns %>
