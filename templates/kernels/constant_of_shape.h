<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  TensorValue value;  // one element
};

<%= functions(k) %>

}  // namespace <%= ns %>
