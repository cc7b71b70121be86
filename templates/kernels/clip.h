<% from "kernels/parts.inc" import opening, members, functions %>
<%= banner %>
<%= opening(k, ns) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
<% if k.attributes %>
  // Before version 11 the bounds are attributes, since then optional inputs.
  bool bounds_are_attributes = false;
<%= members(k) %>
<% endif %>
};

<%= functions(k) %>

}  // namespace <%= ns %>
