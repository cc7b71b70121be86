<%= banner %>
#include "gen/kernels/support/reduce.h"

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {

Status ReducedAxes(const Tensor* axes_input, const std::vector<int64_t>& axes,
                   bool noop_with_empty_axes, size_t rank, AxisSet* reduced) {
  std::vector<int64_t> chosen = axes;
  if (axes_input != nullptr) EP_RETURN_IF_ERROR(ReadIntegers(*axes_input, "axes", &chosen));
  EP_RETURN_IF_ERROR(ResolveAxes(chosen, rank, reduced));
  if (chosen.empty() && !noop_with_empty_axes) reduced->bits = ~uint64_t{0};
  return Status();
}

Shape ReducedShape(const Shape& shape, AxisSet reduced, bool keepdims) {
  Shape result;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!reduced.has(i)) {
      result.push_back(shape[i]);
    } else if (keepdims) {
      result.push_back(1);
    }
  }
  return result;
}

int64_t Walk::size() const { return Product(dims, 0, dims.size()); }

int64_t Walk::Offset(int64_t index) const {
  int64_t offset = 0;
  for (size_t i = dims.size(); i-- > 0;) {
    offset += index % dims[i] * strides[i];
    index /= dims[i];
  }
  return offset;
}

ReductionPlan PlanReduction(const Shape& shape, AxisSet reduced) {
  // Neighbouring dimensions with the same fate are one; dimensions of one element are none.
  Shape dims;
  bool fate = false;  // that of the last one of `dims`
  AxisSet taken;      // of `dims`
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    if (!dims.empty() && fate == reduced.has(i)) {
      dims.back() *= shape[i];
      continue;
    }
    fate = reduced.has(i);
    if (fate) taken.add(dims.size());
    dims.push_back(shape[i]);
  }
  ReductionPlan plan;
  if (dims.empty()) return plan;
  plan.run = dims.back();
  plan.sums_run = fate;
  int64_t stride = plan.run;
  for (size_t i = dims.size() - 1; i-- > 0;) {
    Walk& walk = taken.has(i) ? plan.reduced : plan.kept;
    walk.dims.insert(walk.dims.begin(), dims[i]);
    walk.strides.insert(walk.strides.begin(), stride);
    stride *= dims[i];
  }
  return plan;
}

void MakeAll(const ReductionPlan& plan, Make make, const Tensor& x, const MutableTensor& y, Exec& exec) {
  const int64_t columns = plan.sums_run ? 1 : plan.run;
  const int64_t pieces = (columns + kMaxSums - 1) / kMaxSums;
  const int64_t each =
      plan.reduced.size() * (plan.sums_run ? plan.run : (columns + pieces - 1) / pieces);
  const int64_t bytes = static_cast<int64_t>(SizeOf(x.dtype));
  const int64_t x_bytes = x.size() == 0 ? 0 : bytes;  // of nothing, nothing is read
  ParallelFor(exec, plan.kept.size() * pieces, each, [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      const int64_t outer = index / pieces;
      const int64_t column = index % pieces * kMaxSums;
      const int64_t count = columns - column < kMaxSums ? columns - column : kMaxSums;
      make(plan, x.data<char>() + (plan.kept.Offset(outer) + column) * x_bytes, count,
           y.data<char>() + (outer * columns + column) * bytes);
    }
  });
}

}  // namespace <%= ns %>
