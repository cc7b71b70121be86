<%= banner %>
#include "gen/kernels/support/checks.h"

namespace <%= ns %> {

int64_t Product(const Shape& shape, size_t begin, size_t end) {
  uint64_t product = 1;
  for (size_t i = begin; i < end; ++i) product *= static_cast<uint64_t>(shape[i]);
  return static_cast<int64_t>(product);
}

Status CheckShape(const Shape& shape) {
  // Leaves room for the widest element. The limit holds for the dimensions that are not zero, so
  // that the product of any of them can be computed, too.
  constexpr int64_t kMaxElements = INT64_MAX / 16;
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (dim < 0) return InvalidArgument(Text() << "negative dimension in shape " << shape);
    if (dim == 0) continue;
    if (count > kMaxElements / dim) {
      return InvalidArgument(Text() << "shape " << shape << " has too many elements");
    }
    count *= dim;
  }
  return Status();
}

Status CheckInputs(Inputs inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs.has(i)) EP_RETURN_IF_ERROR(CheckShape(inputs[i].shape));
  }
  return Status();
}

bool IsVectorOf(int64_t count, const Shape& shape) { return shape.size() == 1 && shape[0] == count; }

Status ResolveAxis(int64_t axis, size_t rank, size_t* index) {
  const int64_t dims = static_cast<int64_t>(rank);
  if (axis < -dims || axis >= dims) {
    return InvalidArgument(Text() << "axis " << axis << " is out of range for rank " << rank);
  }
  *index = static_cast<size_t>(axis < 0 ? axis + dims : axis);
  return Status();
}

Status ResolveAxes(const std::vector<int64_t>& axes, size_t rank, AxisSet* named) {
  *named = AxisSet();
  if (rank > 64) return NotImplemented(Text() << "axes of a tensor of rank " << rank);
  for (int64_t axis : axes) {
    size_t index = 0;
    EP_RETURN_IF_ERROR(ResolveAxis(axis, rank, &index));
    if (named->has(index)) return InvalidArgument(Text() << "axis " << axis << " is named twice");
    named->add(index);
  }
  return Status();
}

Status NormalizeAxes(size_t rank, std::vector<int64_t>* axes) {
  AxisSet named;
  EP_RETURN_IF_ERROR(ResolveAxes(*axes, rank, &named));
  for (int64_t& axis : *axes) {
    if (axis < 0) axis += static_cast<int64_t>(rank);
  }
  return Status();
}

Status ReadIntegers(const Tensor& tensor, const char* what, std::vector<int64_t>* values) {
  if (tensor.shape.size() > 1) {
    return InvalidArgument(Text() << what << " must have one dimension, not shape " << tensor.shape);
  }
  const size_t count = static_cast<size_t>(tensor.size());
  if (tensor.dtype == DType::kInt64) {
    const int64_t* data = tensor.data<int64_t>();
    values->assign(data, data + count);
  } else if (tensor.dtype == DType::kInt32) {
    const int32_t* data = tensor.data<int32_t>();
    values->assign(data, data + count);
  } else {
    return InvalidArgument(Text() << what << " must be int32 or int64");
  }
  return Status();
}

Status CheckRank(const Shape& shape, size_t rank, const char* what) {
  if (shape.size() == rank) return Status();
  return InvalidArgument(Text() << what << " must have rank " << rank << ", not shape " << shape);
}

Status CommonShape(const Shape& a, const Shape& b, Shape* result) {
  const size_t rank = a.size() > b.size() ? a.size() : b.size();
  result->assign(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t a_dim = i + a.size() < rank ? 1 : a[i + a.size() - rank];
    const int64_t b_dim = i + b.size() < rank ? 1 : b[i + b.size() - rank];
    if (a_dim != b_dim && a_dim != 1 && b_dim != 1) {
      return InvalidArgument(Text() << "shapes " << a << " and " << b << " cannot be broadcast to each other");
    }
    (*result)[i] = a_dim == 1 ? b_dim : a_dim;
  }
  return CheckShape(*result);
}

}  // namespace <%= ns %>
