<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/elementwise.h"
#include "gen/kernels/support/errors.h"

namespace <%= ns %> {
namespace {

struct Copy {
  template <class T>
  EP_HOST_DEVICE T operator()(T x) const {
    return x;
  }
};

}  // namespace

Status Read(const Node&, <%= k.attrs %>&) { return Status(); }

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  return SameShape(inputs, shapes);
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  const Tensor& x = inputs[0];
  // Elements are only moved, so all types of one size share a kernel.
  switch (x.dtype) {
<% for carrier, enumerators in k.by_size %>
<% for enumerator in enumerators %>
    case DType::<%= enumerator %>:
<% endfor %>
      return Map<<%= carrier %>, <%= carrier %>>(x, outputs[0], 1, Copy(), exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, x.dtype);
  }
}

}  // namespace <%= ns %>
