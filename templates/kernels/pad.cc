<% from "kernels/pad.inc" import helpers, functions with context %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"
<% if k.halves %>
#include "gen/kernels/support/halves.h"
<% endif %>

namespace <%= ns %> {
namespace {

<%= helpers(false) %>

// Where in the input row `row` of the output begins.
int64_t RowSource(const Shape& x, const Shape& y, const Shape& pads, Mode mode, int64_t row) {
  int64_t from = 0;
  int64_t stride = x.back();
  for (size_t i = x.size() - 1; i-- > 0;) {
    const int64_t at = SourceOf(row % y[i] - pads[i], x[i], mode);
    if (at == kPadding) return kPadding;
    from += at * stride;
    row /= y[i];
    stride *= x[i];
  }
  return from;
}

// What the rows of the output have in common.
struct RowShape {
  int64_t count;   // elements of the output
  int64_t dim;     // elements of the input
  int64_t before;  // how many elements the input is behind
  Mode mode;
  size_t bytes;  // of an element
  const char* padding;
};

// Fills a row from the row `x` of the input; from padding alone where that is null.
void FillRow(const RowShape& row, const char* x, char* y) {
  for (int64_t i = 0; i < row.count;) {
    const int64_t index = i - row.before;
    const int64_t at = x == nullptr ? kPadding : SourceOf(index, row.dim, row.mode);
    int64_t n = 1;
    if (at == index && at != kPadding) {  // inside, and so are those up to the end of either row
      n = row.dim - at < row.count - i ? row.dim - at : row.count - i;
    }
    const char* from = at == kPadding ? row.padding : x + static_cast<size_t>(at) * row.bytes;
    std::memcpy(y + static_cast<size_t>(i) * row.bytes, from, static_cast<size_t>(n) * row.bytes);
    i += n;
  }
}

}  // namespace

<%= functions() %>

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  const Shape& y = outputs[0].shape;
  Shape pads;
  EP_RETURN_IF_ERROR(ResolvePads(attrs, inputs, &pads));
  const size_t bytes = SizeOf(inputs[0].dtype);
  if (bytes == 0) return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  const int64_t value = PaddingOf(attrs, inputs[0].dtype);
  const void* padding = &value;
  if (inputs.has(2) && inputs[2].size() > 0) padding = inputs[2].raw;

  // A scalar is a row of one element.
  RowShape shape{1, 1, 0, attrs.mode, bytes, static_cast<const char*>(padding)};
  if (!x.empty()) {
    shape.count = y.back();
    shape.dim = x.back();
    shape.before = pads[x.size() - 1];
  }
  const int64_t row_bytes = shape.count * static_cast<int64_t>(bytes);
  ParallelFor(exec, outputs[0].size() / shape.count, row_bytes / 8 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t from = x.empty() ? 0 : RowSource(x, y, pads, attrs.mode, row);
      const char* source = inputs[0].data<char>();
      source = from == kPadding ? nullptr : source + from * static_cast<int64_t>(bytes);
      FillRow(shape, source, outputs[0].data<char>() + row * row_bytes);
    }
  });
  return Status();
}

}  // namespace <%= ns %>
