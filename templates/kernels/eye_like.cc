<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"
#include "gen/kernels/support/numbers.h"

namespace <%= ns %> {

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(CheckRank(inputs[0].shape, 2, "the input"));
  shapes[0] = inputs[0].shape;
  return Status();
}

// The output already has the type that `dtype`, or the input, asks for.
Status Compute(const <%= k.attrs %>& attrs, Inputs, Outputs outputs, Exec& exec) {
  const int64_t rows = outputs[0].shape[0];
  const int64_t columns = outputs[0].shape[1];
  const size_t bytes = SizeOf(outputs[0].dtype);
  const uint64_t zero = 0;
  unsigned char one[sizeof zero];
  WriteOne(outputs[0].dtype, one);
  EP_RETURN_IF_ERROR(FillElements(exec, outputs[0].raw, outputs[0].size(), &zero, bytes));
  if (attrs.k <= -rows || attrs.k >= columns) return Status();
  char* y = outputs[0].data<char>();
  for (int64_t row = attrs.k < 0 ? -attrs.k : 0; row < rows && row + attrs.k < columns; ++row) {
    std::memcpy(y + (row * columns + row + attrs.k) * static_cast<int64_t>(bytes), one, bytes);
  }
  return Status();
}

}  // namespace <%= ns %>
