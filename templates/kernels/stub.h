<% from "kernels/parts.inc" import opening, members, functions %>
<%= banner %>
<%= opening(k, ns) %>
// <%= k.about | cpp_comment %>
<% for a in k.unread %>
// The attribute <%= a.name | cpp_comment %> (<%= a.kind | cpp_comment %>) is of a kind that Node does not read.
<% endfor %>
struct <%= k.attrs %> {
<%= members(k) %>
};

<%= functions(k) %>

}  // namespace <%= ns %>
