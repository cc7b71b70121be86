<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  size_t axis = x.size();  // allowed here: everything goes to the first dimension
  if (attrs.axis != static_cast<int64_t>(x.size())) {
    EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, x.size(), &axis));
  }
  shapes[0] = {Product(x, 0, axis), Product(x, axis, x.size())};
  return Status();
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  const size_t bytes = static_cast<size_t>(inputs[0].size()) * SizeOf(inputs[0].dtype);
  return CopyBytes(exec, outputs[0].raw, inputs[0].raw, bytes);
}

}  // namespace <%= ns %>
