<%= banner %>
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "gen/api/kernel.h"

namespace <%= ns %> {

// A call of a kernel that a queue makes when its turn has come. It owns what the call needs, also the
// data of inputs that lie on the host; only the kernel and the device's memory are the caller's.
class KernelCall {
 public:
  KernelCall(const Kernel& kernel, size_t input_count, size_t output_count) : kernel_(kernel) {
    tensors_.reserve(input_count);  // the pointers to them stay
    results_.reserve(output_count);
    inputs_.reserve(input_count);
    outputs_.reserve(output_count);
  }
  KernelCall(const KernelCall&) = delete;
  KernelCall& operator=(const KernelCall&) = delete;

  // The next input, or null for one that was left out.
  void AddInput(const Tensor* tensor, bool on_host) {
    inputs_.push_back(nullptr);
    if (tensor == nullptr) return;
    tensors_.push_back(*tensor);
    inputs_.back() = &tensors_.back();
    const size_t bytes = static_cast<size_t>(tensor->size()) * SizeOf(tensor->dtype);
    if (!on_host || bytes == 0) return;
    host_data_.emplace_back(new std::max_align_t[bytes / sizeof(std::max_align_t) + 1]);
    std::memcpy(host_data_.back().get(), tensor->raw, bytes);
    tensors_.back().raw = host_data_.back().get();
  }
  // The next output, or null for one that nobody wants.
  void AddOutput(const MutableTensor* tensor) {
    outputs_.push_back(nullptr);
    if (tensor == nullptr) return;
    results_.push_back(*tensor);
    outputs_.back() = &results_.back();
  }

  Status Run(Exec& exec) const {
    return kernel_.Run(Inputs(inputs_.data(), inputs_.size()),
                           Outputs(outputs_.data(), outputs_.size()), exec);
  }

 private:
  const Kernel& kernel_;
  std::vector<Tensor> tensors_;
  std::vector<MutableTensor> results_;
  std::vector<const Tensor*> inputs_;
  std::vector<MutableTensor*> outputs_;
  std::vector<std::unique_ptr<std::max_align_t[]>> host_data_;
};

}  // namespace <%= ns %>
