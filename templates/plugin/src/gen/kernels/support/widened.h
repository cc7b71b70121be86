<%= banner %>
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "gen/api/kernel.h"

// Kernels that compute in float32, for nodes of 16-bit floats: inputs are converted to float32, the
// kernel runs, and its outputs are rounded once.
namespace <%= ns %> {

// Whose 16-bit floats are converted: bit i stands for input or output i.
struct WidenedTensors {
  uint64_t inputs;
  uint64_t outputs;
  uint64_t host_inputs;  // those of `inputs` that are read before the outputs' shapes are known
};

// Puts the conversions around `kernel`.
void Widen(const WidenedTensors& tensors, std::unique_ptr<Kernel>& kernel);

// A struct of attributes says `static constexpr bool kTakesHalves = true;` where its kernel wants
// the 16-bit floats themselves.
template <class Attrs, class = void>
inline constexpr bool kTakesHalves = false;
template <class Attrs>
inline constexpr bool kTakesHalves<Attrs, std::void_t<decltype(Attrs::kTakesHalves)>> =
    Attrs::kTakesHalves;

template <class Attrs, uint64_t kInputs, uint64_t kOutputs, uint64_t kHostInputs>
Status MakeWidened(const Node& node, std::unique_ptr<Kernel>& kernel) {
  EP_RETURN_IF_ERROR(KernelOf<Attrs>::Make(node, kernel));
  if constexpr (!kTakesHalves<Attrs>) Widen({kInputs, kOutputs, kHostInputs}, kernel);
  return Status();
}

}  // namespace <%= ns %>
