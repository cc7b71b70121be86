<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint", "vector")) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  // Attributes in version 1; since version 10 they are inputs.
  std::vector<int64_t> starts;
  std::vector<int64_t> ends;
  std::vector<int64_t> axes;
};

<%= functions(k) %>

}  // namespace <%= ns %>
