<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/broadcast.h"
#include "gen/kernels/support/errors.h"

namespace <%= ns %> {
namespace {

struct Function {
  bool left;

  template <class T>
  EP_HOST_DEVICE T operator()(T a, T b) const {
    return Shift(a, b, left);
  }
};

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  EP_RETURN_IF_ERROR(node.Get("direction", &attrs.direction));
  if (attrs.direction == "LEFT" || attrs.direction == "RIGHT") return Status();
  return InvalidArgument("direction must be LEFT or RIGHT, not '" + attrs.direction + "'");
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  return BroadcastShapes(<%= k.label | cpp_string %>, inputs, shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Tensor& a = inputs[0];
  const Tensor& b = inputs[1];
  const Function function{attrs.direction == "LEFT"};
  switch (a.dtype) {
<% for enumerator, cpp in k.t %>
    case DType::<%= enumerator %>:
      return Zip<<%= cpp %>, <%= cpp %>, <%= cpp %>>(<%= k.label | cpp_string %>, a, b, outputs[0], 1, function, exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, a.dtype);
  }
}

}  // namespace <%= ns %>
