<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, ["gen/kernels/support/reduce.h"], ("cstdint", "vector")) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  std::vector<int64_t> axes;  // where axes are an attribute; newer versions have them as an input
  bool keepdims = true;
  bool noop_with_empty_axes = false;
};

<%= functions(k) %>

}  // namespace <%= ns %>
