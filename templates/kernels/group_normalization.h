<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  float epsilon = 1e-5f;
<% if k.p.grouped %>
  int64_t groups = 1;
<% endif %>
};

<%= functions(k) %>

}  // namespace <%= ns %>
