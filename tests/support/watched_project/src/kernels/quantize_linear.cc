#include "kernels/quantize_linear.h"

#include <algorithm>
#include <cmath>

namespace contoso_watched {

Status Read(const Node&, QuantizeLinearAttrs&) { return Status(); }

Status InferShapes(const QuantizeLinearAttrs&, Inputs inputs, Shapes& shapes) {
  if (inputs[1].size() != 1) return NotImplemented("QuantizeLinear: one scale for all");
  shapes[0] = inputs[0].shape;
  return Status();
}

Status Compute(const QuantizeLinearAttrs&, Inputs inputs, Outputs outputs, Exec&) {
  const float scale = *inputs[1].data<float>();
  const float zero = inputs.has(2) ? static_cast<float>(*inputs[2].data<uint8_t>()) : 0.0F;
  const auto* x = inputs[0].data<float>();
  auto* y = outputs[0].data<uint8_t>();
  for (int64_t i = 0; i < inputs[0].size(); ++i) {
    const float level = std::nearbyint(x[i] / scale) + zero;
    y[i] = static_cast<uint8_t>(std::clamp(level, 0.0F, 255.0F));
  }
  return Status();
}

}  // namespace contoso_watched
