<% from "kernels/reduction.inc" import function, read_and_infer %>
<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/checks.h"
<% if k.p.math %>
#include "gen/kernels/support/math.h"
<% endif %>
#include "gen/kernels/support/reduce_rows.h"
#include "gen/kernels/support/rows.h"

namespace <%= ns %> {
namespace {

<%= function(k) %>

template <class T>
struct ReduceRow {
  using Total = typename Function<T>::Total;

  const T* x;
  T* y;
  ReductionRows rows;

  template <class Threads>
  EP_DEVICE void operator()(int64_t row, const Threads& threads) const {
    const int64_t count = rows.width;
    const T* from = count == 0 ? x : x + rows.starts.Offset(row);
<% if k.p.shifted %>
    const Total largest = threads.Join(
        count, Largest<T>::Start(),
        [&](int64_t i) { return Largest<T>::Term(from[rows.elements.Offset(i)], 0); },
        [](Total a, Total b) { return Largest<T>::Join(a, b); });
    const Total shift = IsInfinite(largest) || IsNan(largest) ? Total(0) : largest;
<% else %>
    const Total shift = Total(0);
<% endif %>
    const Total total = threads.Join(
        count, Function<T>::Start(),
        [&](int64_t i) { return Function<T>::Term(from[rows.elements.Offset(i)], shift); },
        [](Total a, Total b) { return Function<T>::Join(a, b); });
    threads.Once([&] { y[row] = Function<T>::Finish(total<% if k.p.counted %>, count<% elif k.p.shifted %>, shift<% endif %>); });
  }
};

template <class T>
Status Reduce(const ReductionRows& rows, Inputs inputs, Outputs outputs, Exec& exec) {
  const ReduceRow<T> body{inputs[0].data<T>(), outputs[0].data<T>(), rows};
  return LaunchRows(exec, outputs[0].size(), rows.width, rows.step, body);
}

}  // namespace

<%= read_and_infer(k) %>

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  AxisSet reduced;
  EP_RETURN_IF_ERROR(ReducedAxes(inputs.at(1), attrs.axes, attrs.noop_with_empty_axes, x.size(), &reduced));
  ReductionRows rows;
  EP_RETURN_IF_ERROR(PlanRows(<%= k.label | cpp_string %>, PlanReduction(x, reduced), &rows));
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Reduce", "rows, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
