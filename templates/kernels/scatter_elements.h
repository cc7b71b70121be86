<% from "kernels/parts.inc" import opening, functions %>
<% from "kernels/scatter.inc" import reduction_member %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
<%= reduction_member(k) -%>
  int64_t axis = 0;
};

<%= functions(k) %>

}  // namespace <%= ns %>
