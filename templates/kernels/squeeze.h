<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint", "vector")) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  std::vector<int64_t> axes;  // where axes are an attribute; since version 13 they are an input
};

<%= functions(k) %>

}  // namespace <%= ns %>
