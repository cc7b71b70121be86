<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, ["gen/kernels/support/scales.h"], ("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  ScaleAttrs scales;
};

<%= functions(k) %>

}  // namespace <%= ns %>
