<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"
#include "gen/kernels/support/rows.h"

namespace <%= ns %> {
namespace {

template <class T>
struct NormalizeRow {
  const T* x;
  const T* scale;
<% if k.p.centered %>
  const T* bias;  // this one and the outputs may be null
<% endif %>
  T* y;
<% if k.p.centered %>
  float* means;
  float* deviations;
<% endif %>
  int64_t count;
  double epsilon;

  template <class Threads>
  EP_DEVICE void operator()(int64_t row, const Threads& threads) const {
    const auto add = [](double a, double b) { return a + b; };
    const T* from = x + row * count;
<% if k.p.centered %>
    const double sum = threads.Join(
        count, 0.0, [&](int64_t i) { return static_cast<double>(from[i]); }, add);
    const double mean = sum / static_cast<double>(count);
<% endif %>
    const double squares = threads.Join(
        count, 0.0,
        [&](int64_t i) {
          const double value = static_cast<double>(from[i])<% if k.p.centered %> - mean<% endif %>;
          return value * value;
        },
        add);
    const double variance = squares / static_cast<double>(count);
    const double factor = 1 / Sqrt(variance + epsilon);
<% if k.p.centered %>
    threads.Once([&] {
      if (means != nullptr) means[row] = static_cast<float>(mean);
      if (deviations != nullptr) deviations[row] = static_cast<float>(factor);
    });
    if (y == nullptr) return;
    T* to = y + row * count;
    threads.ForEach(count, [&](int64_t i) {
      const T value = static_cast<T>((static_cast<double>(from[i]) - mean) * factor);
      to[i] = value * scale[i] + (bias == nullptr ? T{} : bias[i]);
    });
<% else %>
    T* to = y + row * count;
    threads.ForEach(count, [&](int64_t i) { to[i] = static_cast<T>(static_cast<double>(from[i]) * factor) * scale[i]; });
<% endif %>
  }
};

template <class T>
Status Normalize(const <%= k.attrs %>& attrs, int64_t rows, int64_t count, Inputs inputs,
                 Outputs outputs, Exec& exec) {
  NormalizeRow<T> body{};
  body.x = inputs[0].data<T>();
  body.scale = inputs[1].data<T>();
<% if k.p.centered %>
  if (inputs.has(2)) body.bias = inputs[2].data<T>();
  if (outputs.has(0)) body.y = outputs[0].data<T>();
  if (outputs.has(1)) body.means = outputs[1].data<float>();
  if (outputs.has(2)) body.deviations = outputs[2].data<float>();
<% else %>
  body.y = outputs[0].data<T>();
<% endif %>
  body.count = count;
  body.epsilon = static_cast<double>(attrs.epsilon);
  return LaunchRows(exec, rows, count, 1, body);
}

}  // namespace

<% include "kernels/layer_normalization.inc" %>

}  // namespace <%= ns %>
