<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, ["gen/kernels/support/window.h"], ("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  WindowAttrs window;
  int64_t group = 1;
  int64_t offset_group = 1;
};

<%= functions(k) %>

}  // namespace <%= ns %>
