<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"
#include "gen/kernels/support/numbers.h"

namespace <%= ns %> {

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& indices = inputs[0].shape;
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, indices.size() + 1, &axis));
  if (inputs[1].size() != 1) return InvalidArgument("depth must be one number");
  if (!IsVectorOf(2, inputs[2].shape)) return InvalidArgument("values must be two elements");
  const int64_t depth = IntegerAt(inputs[1], 0);
  if (depth <= 0) return InvalidArgument(Text() << "depth is " << depth);
  shapes[0] = indices;
  shapes[0].insert(shapes[0].begin() + static_cast<std::ptrdiff_t>(axis), depth);
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = outputs[0].shape;
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, shape.size(), &axis));
  const size_t bytes = SizeOf(inputs[2].dtype);
  const char* off = inputs[2].data<char>();
  const char* on = off + bytes;
  EP_RETURN_IF_ERROR(FillElements(exec, outputs[0].raw, outputs[0].size(), off, bytes));

  const Tensor& indices = inputs[0];
  const int64_t depth = shape[axis];
  const int64_t step = Product(shape, axis + 1, shape.size());
  char* y = outputs[0].data<char>();
  ParallelFor(exec, indices.size(), 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = IntegerAt(indices, i);
      if (index < -depth || index >= depth) continue;  // not in the range: nothing is hot
      const int64_t at = (i / step * depth + (index < 0 ? index + depth : index)) * step + i % step;
      std::memcpy(y + at * static_cast<int64_t>(bytes), on, bytes);
    }
  });
  return Status();
}

}  // namespace <%= ns %>
