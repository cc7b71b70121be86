<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstddef", "cstdint", "vector")) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  int64_t axis = 0;
  std::vector<int64_t> split;  // where it is an attribute; since version 13 it is an input
  size_t outputs = 1;
  bool uneven = false;  // whether the last piece may be smaller
};

<%= functions(k) %>

}  // namespace <%= ns %>
