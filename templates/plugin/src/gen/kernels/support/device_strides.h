<%= banner %>
#pragma once

#include <cstdint>
#include <vector>

#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/kernels/support/device.h"

namespace <%= ns %> {

// As many dimensions as device code walks, after neighbours are joined. Twice what is usual: Tile
// makes two of each.
inline constexpr int kMaxDeviceDims = 16;

// Where the elements of a dense tensor come from that lie apart. Arrays of fixed size, so that
// device code takes it by value.
struct DeviceStrides {
  int rank = 1;
  int64_t dims[kMaxDeviceDims] = {1};
  int64_t steps[kMaxDeviceDims] = {1};  // in elements

  EP_HOST_DEVICE int64_t Locate(int64_t i) const {
    int64_t offset = 0;
    for (int d = rank - 1; d > 0; --d) {
      offset += i % dims[d] * steps[d];
      i /= dims[d];
    }
    return offset + i * steps[0];
  }
};

// Elements that lie `strides[i]` apart in dimension i of `shape`. An error when that takes more than
// kMaxDeviceDims dimensions.
Status MakeDeviceStrides(const Shape& shape, const std::vector<int64_t>& strides,
                         DeviceStrides* made);

}  // namespace <%= ns %>
