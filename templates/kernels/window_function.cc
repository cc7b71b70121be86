<% from "kernels/parts.inc" import cases, read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/convert.h"
#include "gen/kernels/support/math.h"
#include "gen/kernels/support/numbers.h"

namespace <%= ns %> {
namespace {

template <class T>
Status Fill(const <%= k.attrs %>& attrs, const MutableTensor& window, Exec& exec) {
  constexpr double kPi = 3.14159265358979323846;
  const int64_t period = attrs.periodic != 0 ? window.size() : window.size() - 1;
  T* y = window.data<T>();
  ParallelFor(exec, window.size(), 40, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const double angle = 2 * kPi * static_cast<double>(i) / static_cast<double>(period);
      y[i] = Convert<T>(<%= k.p.value %>);
    }
  });
  return Status();
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  if (inputs[0].size() != 1) return InvalidArgument("size must be one number");
  shapes[0] = {IntegerAt(inputs[0], 0)};
  return CheckShape(shapes[0]);
}

// The output already has the type that `output_datatype` asks for.
Status Compute(const <%= k.attrs %>& attrs, Inputs, Outputs outputs, Exec& exec) {
  switch (outputs[0].dtype) {
    <%= cases(k.t, "Fill", "attrs, outputs[0], exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, outputs[0].dtype);
  }
}

}  // namespace <%= ns %>
