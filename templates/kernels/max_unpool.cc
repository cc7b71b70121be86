<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// The shape that the pooling saw, were all its windows full: that is what the indices count in.
Status ShapeBefore(const WindowAttrs& window, const Shape& x, Shape* before) {
  const size_t rank = window.kernel.size();
  EP_RETURN_IF_ERROR(CheckRank(x, rank + 2, "X"));
  const bool strides = window.strides.empty() || window.strides.size() == rank;
  if (!strides || (!window.pads.empty() && window.pads.size() != 2 * rank)) {
    return InvalidArgument(Text() << "strides or pads do not fit kernel_shape " << window.kernel);
  }
  *before = x;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t stride = window.strides.empty() ? 1 : window.strides[i];
    if (x[i + 2] > INT64_MAX / 4 / stride) return InvalidArgument("X is far too large for its strides");
    int64_t& size = (*before)[i + 2];
    size = (size - 1) * stride + window.kernel[i];
    if (!window.pads.empty()) size -= window.pads[i] + window.pads[i + rank];
    if (size < 0) size = 0;
  }
  return CheckShape(*before);
}

// Where an element of a tensor of shape `from` is in one of shape `to`; -1 outside of it.
int64_t Transfer(int64_t index, const Shape& from, const Shape& to) {
  int64_t found = 0;
  int64_t stride = 1;
  for (size_t i = from.size(); i-- > 0;) {
    const int64_t at = index % from[i];
    index /= from[i];
    if (at >= to[i]) return -1;
    found += at * stride;
    stride *= to[i];
  }
  return found;
}

// One after the other: any index may be that of any element, and the last one counts.
template <class T>
Status Scatter(const Shape& before, Inputs inputs, const MutableTensor& output) {
  const T* x = inputs[0].data<T>();
  const int64_t* indices = inputs[1].data<int64_t>();
  T* y = output.data<T>();
  const int64_t count = ElementCount(before);
  const bool same = before == output.shape;
  std::memset(static_cast<void*>(y), 0, static_cast<size_t>(output.size()) * sizeof(T));
  for (int64_t i = 0; i < inputs[0].size(); ++i) {
    if (indices[i] < 0 || indices[i] >= count) {
      return InvalidArgument(Text() << "index " << indices[i] << " is out of range for " << count << " elements");
    }
    // A larger output keeps the elements in their places, as ONNX's own test has it. ONNX Runtime's
    // CPU provider counts the indices in the larger output instead.
    const int64_t at = same ? indices[i] : Transfer(indices[i], before, output.shape);
    if (at >= 0) y[at] = x[i];
  }
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  EP_RETURN_IF_ERROR(ReadWindow(node, &attrs.window));
  if (attrs.window.kernel.empty()) return InvalidArgument("the attribute kernel_shape is missing");
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(ShapeBefore(attrs.window, x, &shapes[0]));
  if (inputs[1].shape != x) {
    return InvalidArgument(Text() << "X of shape " << x << " does not fit I of shape " << inputs[1].shape);
  }
  if (!inputs.has(2)) return Status();
  Shape wished;
  EP_RETURN_IF_ERROR(ReadIntegers(inputs[2], "output_shape", &wished));
  EP_RETURN_IF_ERROR(CheckRank(wished, x.size(), "the output"));
  shapes[0] = wished;
  return CheckShape(wished);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec&) {
  Shape before;
  EP_RETURN_IF_ERROR(ShapeBefore(attrs.window, inputs[0].shape, &before));
  if (outputs[0].size() == 0) return Status();
  // Elements are only moved, so all types of one size share a kernel.
  switch (inputs[0].dtype) {
<% for carrier, enumerators in k.by_size %>
<% for enumerator in enumerators %>
    case DType::<%= enumerator %>:
<% endfor %>
      return Scatter<<%= carrier %>>(before, inputs, outputs[0]);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
