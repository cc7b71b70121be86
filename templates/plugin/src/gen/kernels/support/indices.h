<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/tensor.h"
#include "gen/kernels/support/device.h"

namespace <%= ns %> {

// Indices that are data on the device. Nobody there can report an error before the call returns, so
// there is a rule for an index that is out of range: nothing is read for it, and zeros are written.
struct Indices {
  static constexpr int64_t kOutside = -1;

  const void* data;
  bool wide;  // int64, not int32

  explicit Indices(const Tensor& tensor)
      : data(tensor.raw), wide(tensor.dtype == DType::kInt64) {}

  // The position among `dim` elements that index `i` names, which counts from the end when it is
  // negative.
  EP_DEVICE int64_t Position(int64_t i, int64_t dim) const {
    const int64_t index = wide ? static_cast<const int64_t*>(data)[i]
                               : int64_t{static_cast<const int32_t*>(data)[i]};
    const int64_t position = index < 0 ? index + dim : index;
    return position >= 0 && position < dim ? position : kOutside;
  }
};

}  // namespace <%= ns %>
