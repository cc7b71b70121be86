<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  int64_t blocksize = 0;
  bool channel_first = false;  // mode CRD
};

<%= functions(k) %>

}  // namespace <%= ns %>
