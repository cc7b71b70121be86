<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  int64_t axis = -1;
  float epsilon = 1e-5f;
};

<%= functions(k) %>

}  // namespace <%= ns %>
