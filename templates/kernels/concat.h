<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  int64_t axis = 1;  // the default of version 1; later ones require it
};

<%= functions(k) %>

}  // namespace <%= ns %>
