<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, ["gen/kernels/support/scales.h"], ("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  ScaleAttrs scales;
<% if k.converts and k.op == "QuantizeLinear" %>
  bool saturates = true;  // a float8 that is too large becomes the largest
<% endif %>
};

<%= functions(k) %>

}  // namespace <%= ns %>
