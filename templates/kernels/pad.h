<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint", "vector")) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  enum class Mode { kConstant, kReflect, kEdge, kWrap };

  Mode mode = Mode::kConstant;
  // Attributes in version 2; since version 11 they are inputs.
  std::vector<int64_t> pads;
  float value = 0.0f;
};

<%= functions(k) %>

}  // namespace <%= ns %>
