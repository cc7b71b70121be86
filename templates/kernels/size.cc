<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

namespace <%= ns %> {

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs, Shapes& shapes) {
  shapes[0].clear();
  return Status();
}

// The output is on the host; the elements of the input are not looked at.
Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec&) {
  *outputs[0].data<int64_t>() = inputs[0].size();
  return Status();
}

}  // namespace <%= ns %>
