<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  int64_t axis = 1;  // unless there is an input for it
  bool inverse = false;
  bool onesided = false;
};

<%= functions(k) %>

}  // namespace <%= ns %>
