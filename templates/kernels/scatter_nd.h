<% from "kernels/parts.inc" import opening, functions %>
<% from "kernels/scatter.inc" import reduction_member %>
<%= banner %>
<%= opening(k, ns, std=()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
<%= reduction_member(k) -%>
};

<%= functions(k) %>

}  // namespace <%= ns %>
