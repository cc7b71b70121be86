<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  float epsilon = 1e-5f;
  float momentum = 0.9f;
  bool training = false;
};

<%= functions(k) %>

}  // namespace <%= ns %>
