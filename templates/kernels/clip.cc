<%= banner %>
#include "<%= k.header %>"

#include <limits>
<% if k.attributes %>
#include <type_traits>
<% endif %>

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/elementwise.h"
#include "gen/kernels/support/errors.h"

namespace <%= ns %> {
namespace {

// Where low is above high, high wins, as ONNX has it. NaN stays NaN.
template <class T>
struct Function {
  T low;
  T high;

  EP_HOST_DEVICE T operator()(T x) const { return Clamp(x, low, high); }
};

template <class T>
Status Clip(<% if k.attributes %>const <%= k.attrs %>& attrs, <% endif %>Inputs inputs, const MutableTensor& y, Exec& exec) {
  Function<T> function{std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
<% if k.attributes %>
  if constexpr (std::is_floating_point_v<T>) {
    if (attrs.bounds_are_attributes) {
      function.low = static_cast<T>(attrs.min);
      function.high = static_cast<T>(attrs.max);
    }
  }
<% endif %>
  if (inputs.has(1)) function.low = *inputs[1].data<T>();
  if (inputs.has(2)) function.high = *inputs[2].data<T>();
  return Map<T, T>(inputs[0], y, 2, function, exec);
}

}  // namespace

<% if k.attributes %>
Status Read(const Node& node, <%= k.attrs %>& attrs) {
  if (node.SinceVersion() >= 11) return Status();
  attrs.bounds_are_attributes = true;
  EP_RETURN_IF_ERROR(node.Get("min", &attrs.min));
  return node.Get("max", &attrs.max);
}
<% else %>
Status Read(const Node&, <%= k.attrs %>&) { return Status(); }
<% endif %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  for (size_t i = 1; i <= 2; ++i) {
    if (inputs.has(i) && inputs[i].size() != 1) {
      return BadShape(<%= k.label | cpp_string %>, i, inputs[i].shape, "must be a scalar");
    }
  }
  return SameShape(inputs, shapes);
}

Status Compute(const <%= k.attrs %>&<% if k.attributes %> attrs<% endif %>, Inputs inputs, Outputs outputs, Exec& exec) {
  switch (inputs[0].dtype) {
<% for enumerator, cpp in k.t %>
    case DType::<%= enumerator %>:
      return Clip<<%= cpp %>>(<% if k.attributes %>attrs, <% endif %>inputs, outputs[0], exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
