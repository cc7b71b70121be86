<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/convert.h"
#include "gen/kernels/support/elementwise.h"
#include "gen/kernels/support/errors.h"

namespace <%= ns %> {
namespace {

template <class Out>
struct Function {
  template <class In>
  EP_HOST_DEVICE Out operator()(In x) const {
    return Convert<Out>(x);
  }
};

template <class In>
Status From(const Tensor& x, const MutableTensor& y, Exec& exec) {
  switch (y.dtype) {
<% for enumerator, cpp in k.types.T2 %>
    case DType::<%= enumerator %>:
      return Map<In, <%= cpp %>>(x, y, 1, Function<<%= cpp %>>(), exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, y.dtype);
  }
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  return SameShape(inputs, shapes);
}

// The output already has the type that <% if k.attributes %>the attribute "to"<% else %>the second input<% endif %> asks for.
Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  switch (inputs[0].dtype) {
<% for enumerator, cpp in k.types.T1 %>
    case DType::<%= enumerator %>:
      return From<<%= cpp %>>(inputs[0], outputs[0], exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
