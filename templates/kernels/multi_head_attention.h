<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  int64_t num_heads = 0;
  float scale = 0.0f;  // 0: that of the depth
  float mask_filter_value = -10000.0f;
  int64_t unidirectional = 0;
};

<%= functions(k) %>

}  // namespace <%= ns %>
