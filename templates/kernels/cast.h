<% from "kernels/parts.inc" import opening, members, functions %>
<%= banner %>
<%= opening(k, ns) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
<% if k.converts %>
  bool saturates = true;
  size_t rounding = 0;  // up, down, nearest
<% else %>
<%= members(k) %>
<% endif %>
};

<%= functions(k) %>

}  // namespace <%= ns %>
