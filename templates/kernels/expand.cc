<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  Shape target;
  EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "shape", &target));
  EP_RETURN_IF_ERROR(CheckShape(target));
  return CommonShape(inputs[0].shape, target, &shapes[0]);
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  const Shape& y = outputs[0].shape;
  const std::vector<int64_t> dense = DenseStrides(x);
  const size_t added = y.size() - x.size();
  std::vector<int64_t> strides(y.size(), 0);
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] != 1) strides[added + i] = dense[i];
  }
  return CopyStrided(exec, outputs[0].raw, inputs[0].raw, y, strides, SizeOf(inputs[0].dtype));
}

}  // namespace <%= ns %>
