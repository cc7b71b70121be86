<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/broadcast.h"
#include "gen/kernels/support/choice.h"
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
  constexpr const char* kDirections[] = {"LEFT", "RIGHT"};
  size_t direction = 2;  // neither
  EP_RETURN_IF_ERROR(ReadChoice(node, "direction", kDirections, &direction));
  if (direction == 2) return InvalidArgument("the attribute direction is missing");
  attrs.left = direction == 0;
  return Status();
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  return BroadcastShapes(inputs, shapes);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Tensor& a = inputs[0];
  const Tensor& b = inputs[1];
  const Function function{attrs.left};
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
