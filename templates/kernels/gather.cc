<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// Turns indices, which count from the end when negative, into positions below `dim`.
template <class T>
Status ResolveIndices(const Tensor& indices, int64_t dim, std::vector<int64_t>* positions) {
  const T* data = indices.data<T>();
  positions->resize(static_cast<size_t>(indices.size()));
  for (size_t i = 0; i < positions->size(); ++i) {
    const int64_t index = data[i];
    if (index < -dim || index >= dim) {
      return InvalidArgument(Text() << "index " << index << " is out of range for " << dim << " elements");
    }
    (*positions)[i] = index < 0 ? index + dim : index;
  }
  return Status();
}

}  // namespace

<% include "kernels/gather.inc" %>

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, x.size(), &axis));
  std::vector<int64_t> positions;
  if (inputs[1].dtype == DType::kInt32) {
    EP_RETURN_IF_ERROR(ResolveIndices<int32_t>(inputs[1], x[axis], &positions));
  } else {
    EP_RETURN_IF_ERROR(ResolveIndices<int64_t>(inputs[1], x[axis], &positions));
  }
  const int64_t rows = Product(x, 0, axis);
  const int64_t item = Product(x, axis + 1, x.size()) * static_cast<int64_t>(SizeOf(inputs[0].dtype));
  const int64_t picks = static_cast<int64_t>(positions.size());
  const char* from = inputs[0].data<char>();
  char* to = outputs[0].data<char>();
  ParallelFor(exec, rows * picks, item / 8 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t source = i / picks * x[axis] + positions[static_cast<size_t>(i % picks)];
      std::memcpy(to + i * item, from + source * item, static_cast<size_t>(item));
    }
  });
  return Status();
}

}  // namespace <%= ns %>
