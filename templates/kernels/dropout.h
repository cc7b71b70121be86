<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  bool tells_kept = false;  // does the mask say so?
  int64_t seed = 0;
  bool has_seed = false;
};

<%= functions(k) %>

}  // namespace <%= ns %>
