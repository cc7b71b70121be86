<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("string", "vector")) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  // A letter for each axis, and a point for those that an ellipsis stands for.
  std::vector<std::string> terms;  // one for each input
  std::string result;
};

<%= functions(k) %>

}  // namespace <%= ns %>
