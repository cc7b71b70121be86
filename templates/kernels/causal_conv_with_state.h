<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  bool swish = false;  // y * sigmoid(y) of the sums
};

<%= functions(k) %>

}  // namespace <%= ns %>
