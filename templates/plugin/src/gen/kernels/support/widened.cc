<%= banner %>
#include "gen/kernels/support/widened.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "gen/kernels/support/halves.h"

namespace <%= ns %> {
namespace {

constexpr int64_t kConversionCost = 4;  // element operations

// The last bit of a mask also stands for all that comes after it.
bool IsNamed(uint64_t mask, size_t index) noexcept {
  return HasBit(mask, index < kMaskBits ? index : kMaskBits - 1);
}

template <class T>
bool IsWidened(const TensorList<T>& tensors, size_t index, uint64_t mask) noexcept {
  return tensors.has(index) && IsHalf(tensors[index].dtype) && IsNamed(mask, index);
}

template <class T>
bool AnyWidened(const TensorList<T>& tensors, uint64_t mask) noexcept {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (IsWidened(tensors, i, mask)) return true;
  }
  return false;
}

class WidenedKernel final : public Kernel {
 public:
  WidenedKernel(const WidenedTensors& tensors, std::unique_ptr<Kernel> kernel)
      : tensors_(tensors), kernel_(std::move(kernel)) {}

  Status Infer(Inputs inputs, Shapes& shapes) const override {
    if (!AnyWidened(inputs, tensors_.inputs)) return kernel_->Infer(inputs, shapes);
    std::vector<Tensor> wide(inputs.size());
    std::vector<const Tensor*> given(inputs.size());
    std::vector<std::vector<float>> values(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      given[i] = inputs.at(i);
      if (!IsWidened(inputs, i, tensors_.inputs)) continue;
      const Tensor& input = inputs[i];
      // Of what is not on the host only the shape can be asked for.
      if (IsNamed(tensors_.host_inputs, i)) {
        values[i].resize(static_cast<size_t>(input.size()));
        HalvesToFloats(input.dtype, input.data<uint16_t>(), values[i].data(), input.size());
      }
      wide[i] = {values[i].data(), DType::kFloat32, input.shape};
      given[i] = &wide[i];
    }
    return kernel_->Infer(Inputs(given.data(), given.size()), shapes);
  }

<% if packing %>
  // No kernel packs 16-bit floats.
  size_t PackedSize(size_t input, const Tensor& constant) const override {
    return kernel_->PackedSize(input, constant);
  }
  void Pack(size_t input, const Tensor& constant, void* to) const override {
    kernel_->Pack(input, constant, to);
  }

<% endif %>
  Status Run(Inputs inputs, Outputs outputs, Exec& exec) const override {
    if (!AnyWidened(inputs, tensors_.inputs) && !AnyWidened(outputs, tensors_.outputs)) {
      return kernel_->Run(inputs, outputs, exec);
    }
    std::vector<Tensor> wide(inputs.size());
    std::vector<const Tensor*> given(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      given[i] = inputs.at(i);
      if (!IsWidened(inputs, i, tensors_.inputs)) continue;
      EP_RETURN_IF_ERROR(WidenInput(inputs[i], exec, &wide[i]));
      given[i] = &wide[i];
    }
    std::vector<MutableTensor> results(outputs.size());
    std::vector<MutableTensor*> made(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      made[i] = outputs.at(i);
      if (!IsWidened(outputs, i, tensors_.outputs)) continue;
      results[i] = {nullptr, DType::kFloat32, outputs[i].shape};
      EP_RETURN_IF_ERROR(FloatScratch(outputs[i].size(), exec, &results[i].raw));
      made[i] = &results[i];
    }
    EP_RETURN_IF_ERROR(kernel_->Run(Inputs(given.data(), given.size()),
                                    Outputs(made.data(), made.size()), exec));
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (made[i] != outputs.at(i)) NarrowOutput(results[i], outputs[i], exec);
    }
    return Status();
  }

 private:
  static Status FloatScratch(int64_t count, Exec& exec, void** memory) {
    return exec.Scratch(static_cast<size_t>(count) * sizeof(float), memory);
  }

  static Status WidenInput(const Tensor& input, Exec& exec, Tensor* wide) {
    void* memory = nullptr;
    EP_RETURN_IF_ERROR(FloatScratch(input.size(), exec, &memory));
    *wide = {memory, DType::kFloat32, input.shape};
    const uint16_t* from = input.data<uint16_t>();
    float* to = static_cast<float*>(memory);
    ParallelFor(exec, input.size(), kConversionCost, [&](int64_t begin, int64_t end) {
      HalvesToFloats(input.dtype, from + begin, to + begin, end - begin);
    });
    return Status();
  }

  static void NarrowOutput(const MutableTensor& wide, const MutableTensor& output, Exec& exec) {
    const float* from = wide.data<float>();
    uint16_t* to = output.data<uint16_t>();
    ParallelFor(exec, output.size(), kConversionCost, [&](int64_t begin, int64_t end) {
      FloatsToHalves(output.dtype, from + begin, to + begin, end - begin);
    });
  }

  const WidenedTensors tensors_;
  const std::unique_ptr<Kernel> kernel_;
};

}  // namespace

void Widen(const WidenedTensors& tensors, std::unique_ptr<Kernel>& kernel) {
  kernel = std::make_unique<WidenedKernel>(tensors, std::move(kernel));
}

}  // namespace <%= ns %>
