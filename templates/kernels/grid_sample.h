<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, (), ()) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  enum class Mode { kLinear, kNearest, kCubic };
  enum class Padding { kZeros, kBorder, kReflection };
  Mode mode = Mode::kLinear;
  Padding padding = Padding::kZeros;
  bool align_corners = false;
};

<%= functions(k) %>

}  // namespace <%= ns %>
