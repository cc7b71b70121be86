<%= banner %>
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

<% if device_memory %>
#include "device/runtime.h"
<% endif %>
#include "gen/api/kernel.h"
#include "gen/api/node.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"

// Calls kernels as the execution provider does: found in the kernel table, made for a node, given
// shapes and then memory. It knows neither ONNX Runtime nor Python.
namespace <%= ns %>::native {
<% if device_memory %>

// The device that kernels run on, opened by the first call and kept until the process ends.
Status OpenDevice(Runtime** runtime);
<% endif %>

// Sets the types of outputs that are kUndefined where those of the inputs, or the row alone, say
// what they are.
void InferTypes(const KernelRow& row, const std::vector<DType>& inputs,
                std::vector<DType>* outputs);

// One call of one kernel: first Prepare, then Run.
class Call {
 public:
  explicit Call(const KernelRow& row) noexcept : row_(row) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
<% if device_memory %>
  ~Call();
<% endif %>

  // The next input; one of type kUndefined was left out. Its data are the caller's, on the host.
  void AddInput(Tensor tensor) { tensors_.push_back(std::move(tensor)); }
  // The next output; `dtype` is kUndefined for one whose type follows from the inputs.
  void AddOutput(bool is_wanted, DType dtype);

  size_t input_count() const noexcept { return tensors_.size(); }
  size_t output_count() const noexcept { return results_.size(); }
  bool is_wanted(size_t output) const noexcept { return wanted_[output]; }

  // Fails unless the kernel takes such inputs; then the outputs have their types and shapes.
  Status Prepare(const Node& node);
  const MutableTensor& output(size_t index) const noexcept { return results_[index]; }

  // Memory on the host for an output, of its type and shape. Not null unless it has no elements.
  void SetMemory(size_t output, void* memory) noexcept { memory_[output] = memory; }
  Status Run();

 private:
  Status SetTypes();
  Status SetShapes(const Shapes& shapes);
<% if device_memory %>
  Status Upload();
  Status Download();
  Status Allocate(size_t bytes, void** address);
<% endif %>

  const KernelRow& row_;
  std::unique_ptr<Kernel> kernel_;
  std::vector<Tensor> tensors_;
  std::vector<const Tensor*> inputs_;
  std::vector<bool> wanted_;
  std::vector<MutableTensor> results_;
  std::vector<MutableTensor*> outputs_;
  std::vector<void*> memory_;
<% if device_memory %>
  Runtime* runtime_ = nullptr;
  std::vector<void*> allocations_;
  std::vector<void*> addresses_;  // of the outputs, on the device
<% endif %>
};

}  // namespace <%= ns %>::native
