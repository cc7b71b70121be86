<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

int64_t IndexAt(const Tensor& indices, int64_t i) {
  return indices.dtype == DType::kInt32 ? indices.data<int32_t>()[i] : indices.data<int64_t>()[i];
}

}  // namespace

<% include "kernels/gather_elements.inc" %>

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  const Tensor& indices = inputs[1];
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, x.size(), &axis));
  const int64_t count = indices.size();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = IndexAt(indices, i);
    if (index < -x[axis] || index >= x[axis]) {
      return InvalidArgument(Text() << "index " << index << " is out of range for " << x[axis] << " elements");
    }
  }
  const size_t size = SizeOf(inputs[0].dtype);
  const int64_t bytes = static_cast<int64_t>(size);
  const char* from = inputs[0].data<char>();
  char* to = outputs[0].data<char>();
  ParallelFor(exec, count, 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t rest = i;
      int64_t source = 0;
      int64_t stride = 1;
      for (size_t d = x.size(); d-- > 0;) {
        int64_t at = rest % indices.shape[d];
        rest /= indices.shape[d];
        if (d == axis) at = IndexAt(indices, i);
        source += (at < 0 ? at + x[d] : at) * stride;
        stride *= x[d];
      }
      std::memcpy(to + i * bytes, from + source * bytes, size);
    }
  });
  return Status();
}

}  // namespace <%= ns %>
