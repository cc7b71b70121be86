<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, (), ()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  double p = 2;
};

<%= functions(k) %>

}  // namespace <%= ns %>
