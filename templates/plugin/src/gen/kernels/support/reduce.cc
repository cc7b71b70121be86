<%= banner %>
#include "gen/kernels/support/reduce.h"

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {

Status ReducedAxes(const Tensor* axes_input, const std::vector<int64_t>& axes,
                   bool noop_with_empty_axes, size_t rank, std::vector<bool>* reduced) {
  std::vector<int64_t> chosen = axes;
  if (axes_input != nullptr) EP_RETURN_IF_ERROR(ReadIntegers(*axes_input, "axes", &chosen));
  if (chosen.empty()) {
    reduced->assign(rank, !noop_with_empty_axes);
    return Status();
  }
  return ResolveAxes(chosen, rank, reduced);
}

Shape ReducedShape(const Shape& shape, const std::vector<bool>& reduced, bool keepdims) {
  Shape result;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!reduced[i]) {
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

ReductionPlan PlanReduction(const Shape& shape, const std::vector<bool>& reduced) {
  // Neighbouring dimensions with the same fate are one; dimensions of one element are none.
  Shape dims;
  std::vector<bool> fates;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    if (!dims.empty() && fates.back() == reduced[i]) {
      dims.back() *= shape[i];
    } else {
      dims.push_back(shape[i]);
      fates.push_back(reduced[i]);
    }
  }
  ReductionPlan plan;
  if (dims.empty()) return plan;
  plan.run = dims.back();
  plan.sums_run = fates.back();
  int64_t stride = plan.run;
  for (size_t i = dims.size() - 1; i-- > 0;) {
    Walk& walk = fates[i] ? plan.reduced : plan.kept;
    walk.dims.insert(walk.dims.begin(), dims[i]);
    walk.strides.insert(walk.strides.begin(), stride);
    stride *= dims[i];
  }
  return plan;
}

}  // namespace <%= ns %>
