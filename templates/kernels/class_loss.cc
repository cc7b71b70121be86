<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"
<% if k.p.softmax %>
#include "gen/kernels/support/math.h"
<% endif %>
#include "gen/kernels/support/numbers.h"

namespace <%= ns %> {
namespace {

constexpr const char* kReductions[] = {"mean", "sum", "none"};

// Labels may not be trusted as positions before this.
Status CheckLabels(const <%= k.attrs %>& attrs, const Tensor& labels, int64_t classes) {
  for (int64_t i = 0; i < labels.size(); ++i) {
    const int64_t label = IntegerAt(labels, i);
    if (attrs.ignores && label == attrs.ignored) continue;
    if (label < 0 || label >= classes) {
      return InvalidArgument(Text() << "label " << label << " is none of " << classes << " classes");
    }
  }
  return Status();
}

<% if k.p.softmax %>
// The logarithm of the sum of exp(x) over `classes` numbers that lie `step` apart.
template <class T>
double LogOfSum(const T* x, int64_t classes, int64_t step) {
  if (classes == 0) return 0;
  double largest = static_cast<double>(x[0]);
  for (int64_t c = 1; c < classes; ++c) {
    const double value = static_cast<double>(x[c * step]);
    if (value > largest) largest = value;
  }
  double sum = 0;
  for (int64_t c = 0; c < classes; ++c) sum += Exp(static_cast<double>(x[c * step]) - largest);
  return largest + Log(sum);
}

<% endif %>
template <class T>
Status Lose(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const int64_t classes = shape[1];
  const int64_t places = Product(shape, 2, shape.size());
  const int64_t count = inputs[1].size();
  const Tensor& labels = inputs[1];
  const T* x = inputs[0].data<T>();
  const T* weights = inputs.has(2) ? inputs[2].data<T>() : nullptr;
<% if k.p.softmax %>
  T* logs = outputs.has(1) ? outputs[1].data<T>() : nullptr;
<% endif %>
  const auto weight_of = [&](int64_t label) {
    if (attrs.ignores && label == attrs.ignored) return T(0);
    return weights == nullptr ? T(1) : weights[label];
  };
  T* losses = outputs[0].data<T>();
  if (attrs.reduction != <%= k.attrs %>::kNone) {
    void* memory = nullptr;
    EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(count) * sizeof(T), &memory));
    losses = static_cast<T*>(memory);
  }
  ParallelFor(exec, count, <% if k.p.softmax %>30 * classes<% else %>8<% endif %>, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i / places * classes * places + i % places;
      const int64_t label = IntegerAt(labels, i);
      const T weight = weight_of(label);
<% if k.p.softmax %>
      const double log_of_sum = LogOfSum(x + first, classes, places);
      for (int64_t c = 0; logs != nullptr && c < classes; ++c) {
        const int64_t at = first + c * places;
        logs[at] = static_cast<T>(static_cast<double>(x[at]) - log_of_sum);
      }
<% endif %>
      if (attrs.ignores && label == attrs.ignored) {
        losses[i] = T(0);
        continue;
      }
<% if k.p.softmax %>
      losses[i] = weight * static_cast<T>(log_of_sum - static_cast<double>(x[first + label * places]));
<% else %>
      losses[i] = -weight * x[first + label * places];
<% endif %>
    }
  });
  if (attrs.reduction == <%= k.attrs %>::kNone) return Status();
  double sum = 0;
  double divisor = attrs.reduction == <%= k.attrs %>::kMean ? 0.0 : 1.0;
  for (int64_t i = 0; i < count; ++i) {
    sum += static_cast<double>(losses[i]);
    if (attrs.reduction == <%= k.attrs %>::kMean) divisor += static_cast<double>(weight_of(IntegerAt(labels, i)));
  }
  *outputs[0].data<T>() = static_cast<T>(sum / divisor);
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  EP_RETURN_IF_ERROR(node.Get("ignore_index", &attrs.ignored, &attrs.ignores));
  return ReadChoice(node, "reduction", kReductions, &attrs.reduction);
}

// Of (N, C, d1, ...) scores and (N, d1, ...) labels.
Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  if (x.size() < 2) return BadShape(<%= k.label | cpp_string %>, 0, x, "must have a batch and classes");
  Shape places{x[0]};
  places.insert(places.end(), x.begin() + 2, x.end());
  if (inputs[1].shape != places) {
    return BadShape(<%= k.label | cpp_string %>, 1, inputs[1].shape, "must be that of the scores without the classes");
  }
  if (inputs.has(2) && !IsVectorOf(x[1], inputs[2].shape)) {
    return BadShape(<%= k.label | cpp_string %>, 2, inputs[2].shape, "must have one weight for each class");
  }
  shapes[0] = attrs.reduction == <%= k.attrs %>::kNone ? places : Shape{};
<% if k.p.softmax %>
  if (shapes.size() > 1) shapes[1] = x;
<% endif %>
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  EP_RETURN_IF_ERROR(CheckLabels(attrs, inputs[1], inputs[0].shape[1]));
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Lose", "attrs, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
