#include "kernels/lstm.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace contoso_watched {
namespace {

float Sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

}  // namespace

// One direction, forward, without any of the optional inputs.
Status Read(const Node& node, LSTMAttrs& attrs) {
  if (node.InputCount() > 3) return NotImplemented("LSTM: optional inputs");
  return node.Get("hidden_size", &attrs.hidden_size);
}

Status InferShapes(const LSTMAttrs& attrs, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;  // steps, batch, features
  if (x.size() != 3) return InvalidArgument("LSTM: the rank of X must be 3");
  const Shape last = {1, x[1], attrs.hidden_size};
  for (size_t i = 0; i < shapes.size(); ++i) shapes[i] = last;
  shapes[0] = {x[0], 1, x[1], attrs.hidden_size};
  return Status();
}

Status Compute(const LSTMAttrs& attrs, Inputs inputs, Outputs outputs, Exec&) {
  const Shape& x = inputs[0].shape;
  const auto size = static_cast<size_t>(attrs.hidden_size);
  const auto batch = static_cast<size_t>(x[1]);
  const auto features = static_cast<size_t>(x[2]);
  std::vector<float> h(batch * size);
  std::vector<float> c(batch * size);
  for (size_t step = 0; step < static_cast<size_t>(x[0]); ++step) {
    for (size_t b = 0; b < batch; ++b) {
      const float* row = inputs[0].data<float>() + (step * batch + b) * features;
      const std::vector<float> before(h.begin() + static_cast<std::ptrdiff_t>(b * size),
                                      h.begin() + static_cast<std::ptrdiff_t>((b + 1) * size));
      const auto gate = [&](size_t index) {
        const float* w = inputs[1].data<float>() + index * features;
        const float* r = inputs[2].data<float>() + index * size;
        float sum = 0;
        for (size_t i = 0; i < features; ++i) sum += w[i] * row[i];
        for (size_t i = 0; i < size; ++i) sum += r[i] * before[i];
        return sum;
      };
      for (size_t i = 0; i < size; ++i) {
        const float in = Sigmoid(gate(i));
        const float out = Sigmoid(gate(size + i));
        const float keep = Sigmoid(gate(2 * size + i));
        float& cell = c[b * size + i];
        cell = keep * cell + in * std::tanh(gate(3 * size + i));
        h[b * size + i] = out * std::tanh(cell);
      }
    }
    if (outputs.has(0)) {
      std::copy(h.begin(), h.end(), outputs[0].data<float>() + step * batch * size);
    }
  }
  if (outputs.has(1)) std::copy(h.begin(), h.end(), outputs[1].data<float>());
  if (outputs.has(2)) std::copy(c.begin(), c.end(), outputs[2].data<float>());
  return Status();
}

}  // namespace contoso_watched
