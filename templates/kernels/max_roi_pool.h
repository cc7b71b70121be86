<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, (), ("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  int64_t height = 1;
  int64_t width = 1;
  float spatial_scale = 1.0f;
};

<%= functions(k) %>

}  // namespace <%= ns %>
