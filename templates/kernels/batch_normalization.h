<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=()) %>
// <%= k.about | cpp_comment %> Inference only.
struct <%= k.attrs %> {
  float epsilon = 1e-5f;
};

<%= functions(k) %>

}  // namespace <%= ns %>
