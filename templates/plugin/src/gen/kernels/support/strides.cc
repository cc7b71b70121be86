<%= banner %>
#include "gen/kernels/support/strides.h"

#include <cstddef>

namespace <%= ns %> {

std::vector<int64_t> DenseStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

void JoinDims(const Shape& shape, const std::vector<int64_t>& strides, Shape* dims,
              std::vector<int64_t>* steps) {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    if (!dims->empty() && steps->back() == shape[i] * strides[i]) {
      dims->back() *= shape[i];
      steps->back() = strides[i];
    } else {
      dims->push_back(shape[i]);
      steps->push_back(strides[i]);
    }
  }
  if (dims->empty()) {
    dims->push_back(1);
    steps->push_back(1);
  }
}

}  // namespace <%= ns %>
