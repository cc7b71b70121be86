<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// The p-norm of a plane.
template <class T>
T PoolPlane(double p, const T* plane, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double size = Magnitude(static_cast<double>(plane[i]));
    sum += p == 2 ? size * size : (p == 1 ? size : Pow(size, p));
  }
  return static_cast<T>(p == 2 ? Sqrt(sum) : (p == 1 ? sum : Pow(sum, 1 / p)));
}

template <class T>
Status Pool(double p, Inputs inputs, const MutableTensor& output, Exec& exec) {
  const T* x = inputs[0].data<T>();
  T* y = output.data<T>();
  const int64_t count = Product(inputs[0].shape, 2, inputs[0].shape.size());
  ParallelFor(exec, output.size(), count * (p == 1 || p == 2 ? 1 : 20), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = PoolPlane(p, x + i * count, count);
  });
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  if (node.SinceVersion() == 1) {
    float p = 2;
    EP_RETURN_IF_ERROR(node.Get("p", &p));
    attrs.p = static_cast<double>(p);
  } else {
    int64_t p = 2;
    EP_RETURN_IF_ERROR(node.Get("p", &p));
    attrs.p = static_cast<double>(p);
  }
  return attrs.p > 0 ? Status() : InvalidArgument("p is not above 0");
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  if (x.size() < 2) return InvalidArgument(Text() << "X must have rank 2 or more, not shape " << x);
  shapes[0].assign(x.size(), 1);
  shapes[0][0] = x[0];
  shapes[0][1] = x[1];
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  switch (inputs[0].dtype) {
<%= cases(k.t, "Pool", "attrs.p, inputs, outputs[0], exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
