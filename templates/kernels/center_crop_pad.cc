<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// How many more elements an axis has before its middle than another; halves are cut off.
int64_t Half(int64_t longer, int64_t shorter) { return longer > shorter ? (longer - shorter) / 2 : 0; }

// The row of X that row `row` of Y is made of; -1 for one of zeros.
int64_t SourceRow(const Shape& x, const Shape& y, int64_t row) {
  int64_t from = 0;
  int64_t stride = 1;
  for (size_t i = x.size() - 1; i-- > 0;) {
    const int64_t at = row % y[i] + Half(x[i], y[i]) - Half(y[i], x[i]);
    if (at < 0 || at >= x[i]) return -1;
    from += at * stride;
    row /= y[i];
    stride *= x[i];
  }
  return from;
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  std::vector<int64_t> axes = attrs.axes;
  Shape wished;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "shape", &wished));
  EP_RETURN_IF_ERROR(CheckShape(wished));
  if (axes.empty()) {
    for (size_t i = 0; i < x.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  EP_RETURN_IF_ERROR(NormalizeAxes(x.size(), &axes));
  if (wished.size() != axes.size()) {
    return InvalidArgument(Text() << "shape " << wished << " must have " << axes.size() << " values");
  }
  shapes[0] = x;
  for (size_t i = 0; i < axes.size(); ++i) shapes[0][static_cast<size_t>(axes[i])] = wished[i];
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  // A scalar is a row of one element.
  const Shape x = inputs[0].shape.empty() ? Shape{1} : inputs[0].shape;
  const Shape y = inputs[0].shape.empty() ? Shape{1} : outputs[0].shape;
  if (outputs[0].size() == 0) return Status();
  const size_t bytes = SizeOf(inputs[0].dtype);
  if (bytes == 0) return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  const size_t x_row = static_cast<size_t>(x.back()) * bytes;
  const size_t y_row = static_cast<size_t>(y.back()) * bytes;
  const size_t first = static_cast<size_t>(Half(x.back(), y.back())) * bytes;
  const size_t padding = static_cast<size_t>(Half(y.back(), x.back())) * bytes;
  const size_t copied = x_row < y_row ? x_row : y_row;
  const char* from = inputs[0].data<char>();
  char* to = outputs[0].data<char>();
  const int64_t cost = static_cast<int64_t>(y_row) / 8 + 1;
  ParallelFor(exec, outputs[0].size() / y.back(), cost, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      char* start = to + static_cast<size_t>(row) * y_row;
      const int64_t source = SourceRow(x, y, row);
      if (source < 0 || copied < y_row) std::memset(start, 0, y_row);
      if (source < 0 || copied == 0) continue;
      std::memcpy(start + padding, from + static_cast<size_t>(source) * x_row + first, copied);
    }
  });
  return Status();
}

}  // namespace <%= ns %>
