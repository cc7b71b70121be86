<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  int64_t axis = -1;
  bool flatten = false;  // before version 13, `axis` and all axes behind it are taken as one
};

<%= functions(k) %>

}  // namespace <%= ns %>
