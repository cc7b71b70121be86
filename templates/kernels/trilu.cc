<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// Which diagonal is the border: those above the main one have numbers above 0.
Status ReadDiagonal(Inputs inputs, int64_t* k) {
  if (!inputs.has(1)) return Status();
  std::vector<int64_t> given;
  EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "k", &given));
  if (given.size() != 1) return InvalidArgument("k must be one number");
  *k = given[0];
  return Status();
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  if (inputs[0].shape.size() < 2) return InvalidArgument(Text() << "shape " << inputs[0].shape << " is of no matrix");
  int64_t k = 0;
  EP_RETURN_IF_ERROR(ReadDiagonal(inputs, &k));
  shapes[0] = inputs[0].shape;
  return Status();
}

// Of each row one side is kept, from the diagonal on or up to it; the other is filled with zeros.
Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const int64_t rows = shape[shape.size() - 2];
  const int64_t columns = shape.back();
  const int64_t bytes = static_cast<int64_t>(SizeOf(inputs[0].dtype));
  if (bytes == 0) return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  if (inputs[0].size() == 0) return Status();
  int64_t k = 0;
  EP_RETURN_IF_ERROR(ReadDiagonal(inputs, &k));
  if (k < -rows) k = -rows;
  if (k > columns) k = columns;
  const bool upper = attrs.upper != 0;
  const char* x = inputs[0].data<char>();
  char* y = outputs[0].data<char>();
  ParallelFor(exec, inputs[0].size() / columns, columns * bytes / 8 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t diagonal = i % rows + k + (upper ? 0 : 1);  // the first column of the right side
      const int64_t border = (diagonal < 0 ? 0 : diagonal > columns ? columns : diagonal) * bytes;
      const int64_t row = i * columns * bytes;
      const auto left = static_cast<size_t>(border);
      const auto right = static_cast<size_t>(columns * bytes - border);
      if (upper) {
        std::memset(y + row, 0, left);
        std::memcpy(y + row + border, x + row + border, right);
      } else {
        std::memcpy(y + row, x + row, left);
        std::memset(y + row + border, 0, right);
      }
    }
  });
  return Status();
}

}  // namespace <%= ns %>
