#include "kernels/dequantize_linear.h"

namespace contoso_watched {

Status Read(const Node&, DequantizeLinearAttrs&) { return Status(); }

Status InferShapes(const DequantizeLinearAttrs&, Inputs inputs, Shapes& shapes) {
  if (inputs[1].size() != 1) return NotImplemented("DequantizeLinear: one scale for all");
  shapes[0] = inputs[0].shape;
  return Status();
}

Status Compute(const DequantizeLinearAttrs&, Inputs inputs, Outputs outputs, Exec&) {
  const float scale = *inputs[1].data<float>();
  const int zero = inputs.has(2) ? *inputs[2].data<uint8_t>() : 0;
  const auto* x = inputs[0].data<uint8_t>();
  auto* y = outputs[0].data<float>();
  for (int64_t i = 0; i < inputs[0].size(); ++i) {
    y[i] = static_cast<float>(x[i] - zero) * scale;
  }
  return Status();
}

}  // namespace contoso_watched
