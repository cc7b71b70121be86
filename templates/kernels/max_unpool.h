<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, ["gen/kernels/support/window.h"], ()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  WindowAttrs window;
};

<%= functions(k) %>

}  // namespace <%= ns %>
