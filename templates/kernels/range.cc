<% from "kernels/parts.inc" import cases %>
<% set floats = k.t | selectattr("cpp", "in", ("float", "double")) | list %>
<% set integers = k.t | rejectattr("cpp", "in", ("float", "double")) | list %>
<%= banner %>
#include "<%= k.header %>"

<% if floats %>
#include "gen/kernels/support/math.h"
<% endif %>
#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

<% if floats %>
template <class T>
Status CountFloats(Inputs inputs, int64_t* count) {
  const T start = *inputs[0].data<T>();
  const T limit = *inputs[1].data<T>();
  const T delta = *inputs[2].data<T>();
  constexpr double kMost = 9.0e18;
  const double steps = Ceil(static_cast<double>(limit - start) / static_cast<double>(delta));
  if (delta == T(0) || !(steps < kMost)) return InvalidArgument("a range without an end");
  *count = steps > 0 ? static_cast<int64_t>(steps) : 0;
  return Status();
}

// Every element is computed by itself and rounded once.
template <class T>
Status FillFloats(Inputs inputs, Outputs outputs, Exec& exec) {
  const double start = static_cast<double>(*inputs[0].data<T>());
  const double delta = static_cast<double>(*inputs[2].data<T>());
  T* y = outputs[0].data<T>();
  ParallelFor(exec, outputs[0].size(), 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = static_cast<T>(start + static_cast<double>(i) * delta);
  });
  return Status();
}

<% endif %>
<% if integers %>
// Distances between integers are counted without a sign: there they fit.
template <class T>
Status CountIntegers(Inputs inputs, int64_t* count) {
  const int64_t start = *inputs[0].data<T>();
  const int64_t limit = *inputs[1].data<T>();
  const int64_t delta = *inputs[2].data<T>();
  if (delta == 0) return InvalidArgument("a range without an end");
  *count = 0;
  if (delta > 0 ? start >= limit : start <= limit) return Status();
  const uint64_t up = static_cast<uint64_t>(limit) - static_cast<uint64_t>(start);
  const uint64_t distance = delta > 0 ? up : uint64_t{0} - up;
  const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta) : uint64_t{0} - static_cast<uint64_t>(delta);
  const uint64_t steps = (distance - 1) / step + 1;
  if (steps > INT64_MAX) return InvalidArgument("a range of too many elements");
  *count = static_cast<int64_t>(steps);
  return Status();
}

template <class T>
Status FillIntegers(Inputs inputs, Outputs outputs, Exec& exec) {
  const uint64_t start = static_cast<uint64_t>(*inputs[0].data<T>());
  const uint64_t delta = static_cast<uint64_t>(*inputs[2].data<T>());
  T* y = outputs[0].data<T>();
  ParallelFor(exec, outputs[0].size(), 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = static_cast<T>(start + static_cast<uint64_t>(i) * delta);
  });
  return Status();
}

<% endif %>
Status Count(Inputs inputs, int64_t* count) {
  switch (inputs[0].dtype) {
    <%= cases(floats, "CountFloats", "inputs, count") -%>
    <%= cases(integers, "CountIntegers", "inputs, count") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace

Status Read(const Node&, <%= k.attrs %>&) { return Status(); }

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  for (size_t i = 0; i < 3; ++i) {
    if (inputs[i].size() != 1) return InvalidArgument("start, limit and delta must be one number each");
  }
  int64_t count = 0;
  EP_RETURN_IF_ERROR(Count(inputs, &count));
  shapes[0] = {count};
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  switch (inputs[0].dtype) {
    <%= cases(floats, "FillFloats", "inputs, outputs, exec") -%>
    <%= cases(integers, "FillIntegers", "inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
