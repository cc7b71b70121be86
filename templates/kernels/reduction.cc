<% from "kernels/reduction.inc" import function, read_and_infer %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/checks.h"
<% if k.p.math %>
#include "gen/kernels/support/math.h"
<% endif %>

namespace <%= ns %> {
namespace {

<%= function(k) %>

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

<%= read_and_infer(k) %>

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
