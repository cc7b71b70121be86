<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, (), ()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  bool align_corners = false;
};

<%= functions(k) %>

}  // namespace <%= ns %>
