<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  int64_t axis = -2;
  bool circular = false;
};

<%= functions(k) %>

}  // namespace <%= ns %>
