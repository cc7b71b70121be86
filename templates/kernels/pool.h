<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, ["gen/kernels/support/window.h"], ("cstdint",) if k.p.kind == "lp" else ()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  WindowAttrs window;
<% if k.p.kind == "max" %>
  bool column_major = false;  // the order in which Indices counts the elements of a plane
<% elif k.p.kind == "average" %>
  bool count_include_pad = false;
<% else %>
  int64_t p = 2;
<% endif %>
};

<%= functions(k) %>

}  // namespace <%= ns %>
