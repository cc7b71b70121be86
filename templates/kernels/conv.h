<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, ["gen/kernels/support/window.h"], ("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  WindowAttrs window;
  int64_t group = 1;
};

<%= functions(k, packs) %>

}  // namespace <%= ns %>
