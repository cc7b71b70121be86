<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, ["gen/kernels/support/resample.h"], ("cstddef", "cstdint", "vector")) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  Sampling sampling;
<% if k.p.upsample %>
  bool planes = false;        // version 1 scales the last two axes, by an attribute for each
  std::vector<float> scales;  // an attribute before version 9
<% else %>
  enum class Policy { kStretch, kNotLarger, kNotSmaller };
  size_t scales_input = 2;
  Policy policy = Policy::kStretch;
  std::vector<int64_t> axes;
  float extrapolation = 0.0f;
<% endif %>
};

<%= functions(k) %>

}  // namespace <%= ns %>
