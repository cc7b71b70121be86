<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  bool tells_kept = false;  // does the mask say so?
};

<%= functions(k) %>

}  // namespace <%= ns %>
