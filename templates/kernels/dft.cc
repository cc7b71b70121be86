<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/fourier.h"
#include "gen/kernels/support/numbers.h"

namespace <%= ns %> {
namespace {

// Numbers lie side by side as pairs of a real and an imaginary part, or as real parts alone.
struct Plan {
  size_t axis;
  int64_t points;  // of the transform
  int64_t taken;   // of the input; the others are 0, or follow from these
  int64_t given;   // by the result

  // The real result of half a spectrum, whose other half is its mirror image.
  bool mirrored;
};

Status MakePlan(const <%= k.attrs %>& attrs, Inputs inputs, Plan* plan) {
  const Shape& x = inputs[0].shape;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  if (x.size() < 2 || x.back() < 1 || x.back() > 2) {
    return BadShape(<%= k.label | cpp_string %>, 0, x, "must end with a dimension of 1 or 2: real, or real and imaginary");
  }
  int64_t axis = attrs.axis;
  if (inputs.has(2)) {
    if (inputs[2].size() != 1) return InvalidArgument("axis must be one number");
    axis = IntegerAt(inputs[2], 0);
  }
  EP_RETURN_IF_ERROR(ResolveAxis(axis, x.size(), &plan->axis));
  if (plan->axis + 1 == x.size()) return InvalidArgument("axis must not be the last one");
  const int64_t dim = x[plan->axis];
  plan->mirrored = attrs.inverse && attrs.onesided;
  plan->points = plan->mirrored ? 2 * (dim - 1) : dim;
  if (inputs.has(1)) {
    if (inputs[1].size() != 1) return InvalidArgument("dft_length must be one number");
    plan->points = IntegerAt(inputs[1], 0);
  }
  if (plan->points < 1) return InvalidArgument("dft_length must be at least 1");
  const int64_t half = plan->points / 2 + 1;
  const int64_t needed = plan->mirrored ? half : plan->points;
  plan->taken = dim < needed ? dim : needed;
  plan->given = attrs.onesided && !attrs.inverse ? half : plan->points;
  return Status();
}

template <class T>
Complex PointAt(const T* x, int64_t parts) {
  return {static_cast<double>(x[0]), parts == 2 ? static_cast<double>(x[1]) : 0.0};
}

template <class T>
Status Run(const <%= k.attrs %>& attrs, const Plan& plan, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const int64_t parts = shape.back();
  const int64_t parts_given = outputs[0].shape.back();
  const int64_t inner = Product(shape, plan.axis + 1, shape.size() - 1);
  const int64_t dim = shape[plan.axis];
  const double scale = attrs.inverse ? 1 / static_cast<double>(plan.points) : 1;
  const T* x = inputs[0].data<T>();
  T* y = outputs[0].data<T>();
  Fourier fourier(plan.points);
  EP_RETURN_IF_ERROR(fourier.Prepare(exec, Product(shape, 0, plan.axis) * inner));
  const auto load = [&](int64_t line, Complex* to) {
    const int64_t first = (line / inner * dim * inner + line % inner) * parts;
    for (int64_t i = 0; i < plan.points; ++i) {
      const bool mirror = plan.mirrored && i > plan.points / 2;
      const int64_t at = mirror ? plan.points - i : i;
      Complex point{0, 0};
      if (at < plan.taken) point = PointAt(x + first + at * inner * parts, parts);
      if (mirror) point.im = -point.im;
      if (plan.mirrored && (at == 0 || 2 * at == plan.points)) point.im = 0;
      to[i] = attrs.inverse ? Complex{point.im, point.re} : point;
    }
  };
  const auto store = [&](int64_t line, const Complex* from) {
    T* to = y + (line / inner * plan.given * inner + line % inner) * parts_given;
    for (int64_t i = 0; i < plan.given; ++i) {
      const Complex point = attrs.inverse ? Complex{from[i].im, from[i].re} : from[i];
      to[i * inner * parts_given] = static_cast<T>(point.re * scale);
      if (parts_given == 2) to[i * inner * parts_given + 1] = static_cast<T>(point.im * scale);
    }
  };
  fourier.Run(exec, load, store);
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  int64_t inverse = 0;
  int64_t onesided = 0;
  if (node.SinceVersion() >= 20) attrs.axis = -2;
  EP_RETURN_IF_ERROR(node.Get("axis", &attrs.axis));
  EP_RETURN_IF_ERROR(node.Get("inverse", &inverse));
  EP_RETURN_IF_ERROR(node.Get("onesided", &onesided));
  attrs.inverse = inverse != 0;
  attrs.onesided = onesided != 0;
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Plan plan{};
  EP_RETURN_IF_ERROR(MakePlan(attrs, inputs, &plan));
  shapes[0] = inputs[0].shape;
  shapes[0][plan.axis] = plan.given;
  shapes[0].back() = plan.mirrored ? 1 : 2;
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  if (outputs[0].size() == 0) return Status();
  Plan plan{};
  EP_RETURN_IF_ERROR(MakePlan(attrs, inputs, &plan));
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Run", "attrs, plan, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
