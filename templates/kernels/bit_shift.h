<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  bool left = false;  // towards the high bits
};

<%= functions(k) %>

}  // namespace <%= ns %>
