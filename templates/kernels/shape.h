<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  int64_t start = 0;
  int64_t end = INT64_MAX;
};

<%= functions(k) %>

}  // namespace <%= ns %>
