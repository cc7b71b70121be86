<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/device_strides.h"
#include "gen/kernels/support/indices.h"
#include "gen/kernels/support/launch.h"
#include "gen/kernels/support/strides.h"

namespace <%= ns %> {
namespace {

template <class T>
struct GatherElementsBody {
  T* y;
  const T* x;
  Indices indices;
  DeviceStrides others;  // in x, along all axes but the one that the indices are for
  int64_t dim;           // of that one
  int64_t step;          // along it

  EP_DEVICE void operator()(int64_t i) const {
    const int64_t at = indices.Position(i, dim);
    y[i] = at == Indices::kOutside ? T() : x[others.Locate(i) + at * step];
  }
};

template <class T>
Status Gather(size_t axis, Inputs inputs, const MutableTensor& y, Exec& exec) {
  const Shape& x = inputs[0].shape;
  std::vector<int64_t> strides = DenseStrides(x);
  const int64_t step = strides[axis];
  strides[axis] = 0;
  GatherElementsBody<T> body{y.data<T>(), inputs[0].data<T>(), Indices(inputs[1]),
                             DeviceStrides(), x[axis], step};
  EP_RETURN_IF_ERROR(MakeDeviceStrides(y.shape, strides, &body.others));
  return Launch(exec, y.size(), body);
}

}  // namespace

<% include "kernels/gather_elements.inc" %>

// Where an index is out of range, the output is zero: see Indices.
Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, inputs[0].shape.size(), &axis));
  // Elements are only moved, so all types of one size share a kernel.
  switch (inputs[0].dtype) {
<% for carrier, enumerators in k.by_size %>
<% for enumerator in enumerators %>
    case DType::<%= enumerator %>:
<% endfor %>
      return Gather<<%= carrier %>>(axis, inputs, outputs[0], exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
