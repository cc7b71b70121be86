<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include <string>

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

using Mode = <%= k.attrs %>::Mode;

constexpr int64_t kPadding = -1;  // instead of a position in the input

// How many elements are put before the first one of every axis, and behind the last one. Negative
// ones are taken away.
Status ResolvePads(const <%= k.attrs %>& attrs, Inputs inputs, std::vector<int64_t>* before, std::vector<int64_t>* behind) {
  const size_t rank = inputs[0].shape.size();
  std::vector<int64_t> pads = attrs.pads;
  std::vector<int64_t> axes;
  if (inputs.has(1)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "pads", &pads));
  if (inputs.has(3)) {
    EP_RETURN_IF_ERROR(ReadIntegers(inputs[3], "axes", &axes));
    AxisSet named;
    EP_RETURN_IF_ERROR(ResolveAxes(axes, rank, &named));
  } else {
    axes.resize(rank);
    for (size_t i = 0; i < rank; ++i) axes[i] = static_cast<int64_t>(i);
  }
  if (pads.size() != 2 * axes.size()) {
    return InvalidArgument(Text() << "pads " << pads << " must have two values for each of " << axes.size() << " axes");
  }
  before->assign(rank, 0);
  behind->assign(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    size_t axis = 0;
    EP_RETURN_IF_ERROR(ResolveAxis(axes[i], rank, &axis));
    (*before)[axis] = pads[i];
    (*behind)[axis] = pads[i + axes.size()];
  }
  return Status();
}

// Which element of an axis of `dim` elements takes place `index`, which may be outside.
int64_t SourceOf(int64_t index, int64_t dim, Mode mode) {
  if (index >= 0 && index < dim) return index;
  switch (mode) {
    case Mode::kConstant:
      return kPadding;
    case Mode::kEdge:
      return index < 0 ? 0 : dim - 1;
    case Mode::kWrap:
      return (index % dim + dim) % dim;
    case Mode::kReflect:
      break;
  }
  if (dim == 1) return 0;
  const int64_t period = 2 * (dim - 1);
  const int64_t place = (index % period + period) % period;
  return place < dim ? place : period - place;
}

template <class T>
Status Pad(const <%= k.attrs %>& attrs, const std::vector<int64_t>& before, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x_shape = inputs[0].shape;
  const Shape& y_shape = outputs[0].shape;
  const size_t rank = x_shape.size();
  const T* x = inputs[0].data<T>();
  T* y = outputs[0].data<T>();
  T value = static_cast<T>(attrs.value);
  if (inputs.has(2) && inputs[2].size() > 0) value = *inputs[2].data<T>();
  if (rank == 0) {
    *y = *x;
    return Status();
  }
  const size_t inner = rank - 1;
  const int64_t run = y_shape[inner];
  ParallelFor(exec, outputs[0].size() / run, 2 * run, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t rest = row;
      int64_t from = 0;
      int64_t stride = x_shape[inner];
      for (size_t i = inner; i-- > 0;) {
        const int64_t at = SourceOf(rest % y_shape[i] - before[i], x_shape[i], attrs.mode);
        from = at == kPadding || from == kPadding ? kPadding : from + at * stride;
        rest /= y_shape[i];
        stride *= x_shape[i];
      }
      for (int64_t i = 0; i < run; ++i) {
        const int64_t at = SourceOf(i - before[inner], x_shape[inner], attrs.mode);
        y[row * run + i] = at == kPadding || from == kPadding ? value : x[from + at];
      }
    }
  });
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  std::string mode = "constant";
  EP_RETURN_IF_ERROR(node.Get("mode", &mode));
  EP_RETURN_IF_ERROR(node.Get("pads", &attrs.pads));
  EP_RETURN_IF_ERROR(node.Get("value", &attrs.value));
  if (mode == "constant") {
    attrs.mode = Mode::kConstant;
  } else if (mode == "reflect") {
    attrs.mode = Mode::kReflect;
  } else if (mode == "edge") {
    attrs.mode = Mode::kEdge;
  } else if (mode == "wrap") {
    attrs.mode = Mode::kWrap;
  } else {
    return InvalidArgument(Text() << "unknown mode " << mode.c_str());
  }
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  constexpr int64_t kMost = INT64_MAX / 4;  // so that sums stay exact
  const Shape& x = inputs[0].shape;
  std::vector<int64_t> before;
  std::vector<int64_t> behind;
  EP_RETURN_IF_ERROR(ResolvePads(attrs, inputs, &before, &behind));
  shapes[0] = x;
  for (size_t i = 0; i < x.size(); ++i) {
    if (before[i] < -kMost || before[i] > kMost || behind[i] < -kMost || behind[i] > kMost) {
      return InvalidArgument("a pad is far too large");
    }
    shapes[0][i] = x[i] + before[i] + behind[i];
    if (x[i] == 0 && shapes[0][i] > 0 && attrs.mode != Mode::kConstant) {
      return InvalidArgument(Text() << "axis " << i << " of shape " << x << " has nothing to repeat");
    }
  }
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  std::vector<int64_t> before;
  std::vector<int64_t> behind;
  EP_RETURN_IF_ERROR(ResolvePads(attrs, inputs, &before, &behind));
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Pad", "attrs, before, inputs, outputs, exec") %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
