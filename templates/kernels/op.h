<% from "kernels/parts.inc" import opening, members, functions %>
<%= banner %>
<%= opening(k, ns) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
<%= members(k) %>
};

<%= functions(k, packs) %>

}  // namespace <%= ns %>
