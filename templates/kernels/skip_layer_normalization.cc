<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

<% set bias = 4 if k.p.centered else 3 %>
namespace <%= ns %> {
namespace {

// Whether `skip` is one for each batch, or the same one for all of them.
bool FitsInput(const Shape& skip, const Shape& x) {
  if (skip == x) return true;
  if (x.size() != 3 || (skip.size() == 3 && skip[0] != 1)) return false;
  return (skip.size() == 2 || skip.size() == 3) && skip.back() == x[2] && skip[skip.size() - 2] == x[1];
}

// The elements of an input or of an output; null where it is absent.
const float* Values(Inputs inputs, size_t index) {
  return inputs.has(index) ? inputs[index].data<float>() : nullptr;
}

float* Results(Outputs outputs, size_t index) {
  return outputs.has(index) ? outputs[index].data<float>() : nullptr;
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  if (x.size() != 2 && x.size() != 3) {
    return BadShape(<%= k.label | cpp_string %>, 0, x, "must have 2 or 3 dimensions");
  }
  if (!FitsInput(inputs[1].shape, x)) {
    return BadShape(<%= k.label | cpp_string %>, 1, inputs[1].shape, "must have the shape of the input, of which the batch may be left out");
  }
  for (size_t i = 2; i < inputs.size(); ++i) {
    if (inputs.has(i) && !IsVectorOf(x.back(), inputs[i].shape)) {
      return BadShape(<%= k.label | cpp_string %>, i, inputs[i].shape, "must have one value for each element of the last dimension");
    }
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    shapes[i] = x;
    if (i == 1 || i == 2) shapes[i].back() = 1;
  }
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const Shape& skip_shape = inputs[1].shape;
  const int64_t count = shape.back();
  const int64_t rows = Product(shape, 0, shape.size() - 1);
  const int64_t skip_rows = Product(skip_shape, 0, skip_shape.size() - 1);
  const float* x = Values(inputs, 0);
  const float* skip = Values(inputs, 1);
  const float* gamma = Values(inputs, 2);
<% if k.p.centered %>
  const float* beta = Values(inputs, 3);
<% endif %>
  const float* bias = Values(inputs, <%= bias %>);
  float* y = Results(outputs, 0);
  float* means = Results(outputs, 1);
  float* deviations = Results(outputs, 2);
  float* sums = Results(outputs, 3);
  if (sums == nullptr) sums = y;  // a row of sums is read before its results take their place
  ParallelFor(exec, rows, 6 * count, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* from = x + row * count;
      const float* with = skip + row % skip_rows * count;
      float* sum = sums + row * count;
      for (int64_t i = 0; i < count; ++i) {
        sum[i] = from[i] + with[i] + (bias != nullptr ? bias[i] : 0.0f);
      }
<% if k.p.centered %>
      double total = 0;
      for (int64_t i = 0; i < count; ++i) total += static_cast<double>(sum[i]);
      const double mean = total / static_cast<double>(count);
<% endif %>
      double squares = 0;
      for (int64_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(sum[i])<% if k.p.centered %> - mean<% endif %>;
        squares += value * value;
      }
      const double variance = squares / static_cast<double>(count);
      const double factor = 1 / Sqrt(variance + static_cast<double>(attrs.epsilon));
      if (means != nullptr) means[row] = <% if k.p.centered %>static_cast<float>(mean)<% else %>0.0f<% endif %>;
      if (deviations != nullptr) deviations[row] = static_cast<float>(factor);
      float* to = y + row * count;
<% if k.p.centered %>
      for (int64_t i = 0; i < count; ++i) {
        const float value = static_cast<float>((static_cast<double>(sum[i]) - mean) * factor);
        to[i] = value * gamma[i] + (beta != nullptr ? beta[i] : 0.0f);
      }
<% else %>
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(static_cast<double>(sum[i]) * factor) * gamma[i];
<% endif %>
    }
  });
  return Status();
}

}  // namespace <%= ns %>
