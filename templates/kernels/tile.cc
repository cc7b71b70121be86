<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  std::vector<int64_t> repeats;
  EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "repeats", &repeats));
  if (repeats.size() != x.size()) {
    return InvalidArgument(Text() << "repeats " << repeats << " must have one value for each axis of " << x);
  }
  // Checked together, as the shape that Compute copies to: it has the same number of elements.
  Shape both = x;
  both.insert(both.end(), repeats.begin(), repeats.end());
  EP_RETURN_IF_ERROR(CheckShape(both));
  shapes[0] = x;
  for (size_t i = 0; i < x.size(); ++i) shapes[0][i] *= repeats[i];
  return Status();
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  const std::vector<int64_t> dense = DenseStrides(x);
  // Every axis is two in the output: which copy, which element of it.
  Shape shape;
  std::vector<int64_t> strides;
  for (size_t i = 0; i < x.size(); ++i) {
    shape.push_back(x[i] == 0 ? 0 : outputs[0].shape[i] / x[i]);
    strides.push_back(0);
    shape.push_back(x[i]);
    strides.push_back(dense[i]);
  }
  return CopyStrided(exec, outputs[0].raw, inputs[0].raw, shape, strides, SizeOf(inputs[0].dtype));
}

}  // namespace <%= ns %>
