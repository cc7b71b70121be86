<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/indices.h"
#include "gen/kernels/support/launch.h"
#include "gen/kernels/support/units.h"

namespace <%= ns %> {
namespace {

// What an index picks is `length` units of type T.
template <class T>
struct GatherBody {
  T* y;
  const T* x;
  Indices indices;
  int64_t picks;  // indices
  int64_t dim;    // of the axis
  int64_t length;

  EP_DEVICE void operator()(int64_t i) const {
    const int64_t item = i / length;
    const int64_t row = item / picks;
    const int64_t at = indices.Position(item - row * picks, dim);
    y[i] = at == Indices::kOutside ? T() : x[(row * dim + at) * length + i - item * length];
  }
};

}  // namespace

<% include "kernels/gather.inc" %>

// Where an index is out of range, the output is zero: see Indices.
Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, x.size(), &axis));
  const int64_t bytes = Product(x, axis + 1, x.size()) * static_cast<int64_t>(SizeOf(inputs[0].dtype));
  const int64_t items = Product(x, 0, axis) * inputs[1].size();
  const uint64_t all = AddressOf(outputs[0].raw) | AddressOf(inputs[0].raw) | static_cast<uint64_t>(bytes);
  return WithUnit(WidestUnit(all), [&](auto unit) {
    using T = decltype(unit);
    const int64_t length = bytes / static_cast<int64_t>(sizeof(T));
    return Launch(exec, items * length,
                  GatherBody<T>{outputs[0].data<T>(), inputs[0].data<T>(), Indices(inputs[1]),
                                inputs[1].size(), x[axis], length});
  });
}

}  // namespace <%= ns %>
