<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  bool by_tanh = false;  // an approximation
};

<%= functions(k) %>

}  // namespace <%= ns %>
