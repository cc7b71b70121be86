<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/checks.h"
<% if k.p.math %>
#include "gen/kernels/support/math.h"
<% endif %>

namespace <%= ns %> {
namespace {

<% if k.p.shifted %>
// The largest element, which is taken off before exp so that it cannot overflow.
template <class T>
struct Largest {
  static double Start() { return Lowest<double>(); }
  static double Term(T x, double) { return static_cast<double>(x); }
  static double Join(double a, double b) { return Maximum(a, b); }
};

<% endif %>
// <%= k.p.doc %>
template <class T>
struct Function {
<% if k.p.widen %>
  // Sums of floating-point numbers are kept in double; integers wrap around.
  using Total = std::conditional_t<std::is_floating_point_v<T>, double, T>;
<% else %>
  using Total = T;
<% endif %>

  static Total Start() { return <%= k.p.start %>; }
  static Total Term(T element, <% if k.p.shifted %>Total shift<% else %>Total<% endif %>) {
    const Total x = static_cast<Total>(element);
    return <%= k.p.term %>;
  }
  static Total Join(Total a, Total b) { return <%= k.p.join %>; }
<% if k.p.counted %>
  static T Finish(Total total, int64_t count) { return static_cast<T>(<%= k.p.finish %>); }
<% elif k.p.shifted %>
  static T Finish(Total total, Total shift) { return static_cast<T>(<%= k.p.finish %>); }
<% else %>
  static T Finish(Total total) { return static_cast<T>(<%= k.p.finish %>); }
<% endif %>
};

template <class T>
void Reduce(const ReductionPlan& plan, const void* from, int64_t count, void* to) {
  using Total = typename Function<T>::Total;
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  Total totals[kMaxSums];
  Total shifts[kMaxSums] = {};
<% if k.p.shifted %>
  MakeTotals<Largest<T>>(plan, x, count, shifts, totals);
  for (int64_t i = 0; i < count; ++i) {
    const bool finite = !IsInfinite(totals[i]) && !IsNan(totals[i]);
    shifts[i] = finite ? totals[i] : 0;
  }
<% endif %>
  MakeTotals<Function<T>>(plan, x, count, shifts, totals);
<% if k.p.counted %>
  const int64_t elements = plan.reduced.size() * (plan.sums_run ? plan.run : 1);
  for (int64_t i = 0; i < count; ++i) y[i] = Function<T>::Finish(totals[i], elements);
<% elif k.p.shifted %>
  for (int64_t i = 0; i < count; ++i) y[i] = Function<T>::Finish(totals[i], shifts[i]);
<% else %>
  for (int64_t i = 0; i < count; ++i) y[i] = Function<T>::Finish(totals[i]);
<% endif %>
}

// The loop for an element type; null for one that there is no kernel for.
Make ReduceFor(DType dtype) {
  switch (dtype) {
<% for enumerator, cpp in k.t %>
    case DType::<%= enumerator %>:
      return &Reduce<<%= cpp %>>;
<% endfor %>
    default:
      return nullptr;
  }
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  int64_t keepdims = 1;
  int64_t noop_with_empty_axes = 0;
  EP_RETURN_IF_ERROR(node.Get("axes", &attrs.axes));
  EP_RETURN_IF_ERROR(node.Get("keepdims", &keepdims));
  EP_RETURN_IF_ERROR(node.Get("noop_with_empty_axes", &noop_with_empty_axes));
  attrs.keepdims = keepdims != 0;
  attrs.noop_with_empty_axes = noop_with_empty_axes != 0;
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  AxisSet reduced;
  EP_RETURN_IF_ERROR(ReducedAxes(inputs.at(1), attrs.axes, attrs.noop_with_empty_axes, x.size(), &reduced));
  shapes[0] = ReducedShape(x, reduced, attrs.keepdims);
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  AxisSet reduced;
  EP_RETURN_IF_ERROR(ReducedAxes(inputs.at(1), attrs.axes, attrs.noop_with_empty_axes, x.size(), &reduced));
  const Make make = ReduceFor(inputs[0].dtype);
  if (make == nullptr) return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  MakeAll(PlanReduction(x, reduced), make, inputs[0], outputs[0], exec);
  return Status();
}

}  // namespace <%= ns %>
