<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

template <class T>
Status Normalize(const <%= k.attrs %>& attrs, int64_t rows, int64_t count, Inputs inputs,
                 Outputs outputs, Exec& exec) {
  const T* x = inputs[0].data<T>();
  const T* scale = inputs[1].data<T>();
<% if k.p.centered %>
  const T* bias = inputs.has(2) ? inputs[2].data<T>() : nullptr;
  T* y = outputs.has(0) ? outputs[0].data<T>() : nullptr;
  float* means = outputs.has(1) ? outputs[1].data<float>() : nullptr;
<% else %>
  T* y = outputs[0].data<T>();
<% endif %>
<% if k.outputs | length > 1 %>
  float* deviations = outputs.has(<%= k.outputs | length - 1 %>) ? outputs[<%= k.outputs | length - 1 %>].data<float>() : nullptr;
<% endif %>
  ParallelFor(exec, rows, 4 * count, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* from = x + row * count;
<% if k.p.centered %>
      double sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(from[i]);
      const double mean = sum / static_cast<double>(count);
<% endif %>
      double squares = 0;
      for (int64_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(from[i])<% if k.p.centered %> - mean<% endif %>;
        squares += value * value;
      }
      const double variance = squares / static_cast<double>(count);
      const double factor = 1 / Sqrt(variance + static_cast<double>(attrs.epsilon));
<% if k.p.centered %>
      if (means != nullptr) means[row] = static_cast<float>(mean);
<% endif %>
<% if k.outputs | length > 1 %>
      if (deviations != nullptr) deviations[row] = static_cast<float>(factor);
<% endif %>
<% if k.p.centered %>
      if (y == nullptr) continue;
      T* to = y + row * count;
      for (int64_t i = 0; i < count; ++i) {
        const T value = static_cast<T>((static_cast<double>(from[i]) - mean) * factor);
        to[i] = value * scale[i] + (bias == nullptr ? T{} : bias[i]);
      }
<% else %>
      T* to = y + row * count;
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(static_cast<double>(from[i]) * factor) * scale[i];
<% endif %>
    }
  });
  return Status();
}

}  // namespace

<% include "kernels/layer_normalization.inc" %>

}  // namespace <%= ns %>
