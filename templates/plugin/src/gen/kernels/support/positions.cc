<%= banner %>
#include "gen/kernels/support/positions.h"

#include "gen/kernels/support/text.h"

namespace <%= ns %> {
namespace {

Status CountFromFront(int64_t index, int64_t dim, int64_t* position) {
  if (index < -dim || index >= dim) {
    return InvalidArgument(Text() << "index " << index << " is out of range for " << dim << " elements");
  }
  *position = index < 0 ? index + dim : index;
  return Status();
}

template <class T>
Status ReadAs(const Tensor& indices, int64_t dim, std::vector<int64_t>* positions) {
  const T* data = indices.data<T>();
  positions->resize(static_cast<size_t>(indices.size()));
  for (size_t i = 0; i < positions->size(); ++i) {
    EP_RETURN_IF_ERROR(CountFromFront(data[i], dim, &(*positions)[i]));
  }
  return Status();
}

}  // namespace

Status ReadPositions(const Tensor& indices, int64_t dim, std::vector<int64_t>* positions) {
  if (indices.dtype == DType::kInt32) return ReadAs<int32_t>(indices, dim, positions);
  if (indices.dtype == DType::kInt64) return ReadAs<int64_t>(indices, dim, positions);
  return InvalidArgument("indices must be int32 or int64");
}

Status ReadTuples(const Tensor& indices, const Shape& shape, size_t first, std::vector<int64_t>* slices) {
  if (indices.dtype != DType::kInt64) return InvalidArgument("indices must be int64");
  if (indices.shape.empty()) return InvalidArgument("indices must have an axis of tuples");
  const int64_t depth = indices.shape.back();
  if (depth < 1 || first > shape.size() || depth > static_cast<int64_t>(shape.size() - first)) {
    return InvalidArgument(Text() << "tuples of " << depth << " indices for shape " << shape);
  }
  const int64_t* tuple = indices.data<int64_t>();
  int64_t count = 1;
  for (size_t i = 0; i + 1 < indices.shape.size(); ++i) count *= indices.shape[i];
  slices->assign(static_cast<size_t>(count), 0);
  for (int64_t& slice : *slices) {
    for (int64_t i = 0; i < depth; ++i) {
      const int64_t dim = shape[first + static_cast<size_t>(i)];
      int64_t position = 0;
      EP_RETURN_IF_ERROR(CountFromFront(tuple[i], dim, &position));
      slice = slice * dim + position;
    }
    tuple += depth;
  }
  return Status();
}

}  // namespace <%= ns %>
