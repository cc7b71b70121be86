<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  int64_t axis = -1;
  int64_t k = 0;  // in version 1; since version 10 it is an input
  bool largest = true;
};

<%= functions(k) %>

}  // namespace <%= ns %>
