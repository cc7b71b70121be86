<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {

Status Read(const Node& node, <%= k.attrs %>& attrs) { return node.Get("axes", &attrs.axes); }

<% if k.p.kind == "squeeze" %>
Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  std::vector<int64_t> axes = attrs.axes;
  if (inputs.has(1)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "axes", &axes));
  AxisSet dropped;
  EP_RETURN_IF_ERROR(ResolveAxes(axes, x.size(), &dropped));
  shapes[0].clear();
  for (size_t i = 0; i < x.size(); ++i) {
    if (axes.empty() ? x[i] == 1 : dropped.has(i)) {
      if (x[i] != 1) {
        return InvalidArgument(Text() << "axis " << i << " of shape " << x << " is not 1");
      }
    } else {
      shapes[0].push_back(x[i]);
    }
  }
  return Status();
}
<% else %>
Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  std::vector<int64_t> axes = attrs.axes;
  if (inputs.has(1)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "axes", &axes));
  AxisSet inserted;
  EP_RETURN_IF_ERROR(ResolveAxes(axes, x.size() + axes.size(), &inserted));
  shapes[0].clear();
  size_t next = 0;
  for (size_t i = 0; i < x.size() + axes.size(); ++i) {
    shapes[0].push_back(inserted.has(i) ? 1 : x[next++]);
  }
  return Status();
}
<% endif %>

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  const size_t bytes = static_cast<size_t>(inputs[0].size()) * SizeOf(inputs[0].dtype);
  return CopyBytes(exec, outputs[0].raw, inputs[0].raw, bytes);
}

}  // namespace <%= ns %>
