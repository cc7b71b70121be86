<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, ["gen/kernels/support/recurrent.h"], ()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  RecurrentAttrs common;
<% if k.p.switch %>
  bool <%= k.p.switch %> = false;
<% endif %>
};

<%= functions(k) %>

}  // namespace <%= ns %>
