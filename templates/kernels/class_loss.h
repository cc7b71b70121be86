<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstddef", "cstdint")) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  enum Reduction : size_t { kMean, kSum, kNone };

  size_t reduction = kMean;
  bool ignores = false;  // does the label `ignored` name no class?
  int64_t ignored = 0;
};

<%= functions(k) %>

}  // namespace <%= ns %>
