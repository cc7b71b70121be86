<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, (), ()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  bool center_point_box = false;
};

<%= functions(k) %>

}  // namespace <%= ns %>
