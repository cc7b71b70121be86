<%= banner %>
#include "gen/kernels/support/device_strides.h"

#include <cstddef>

#include "gen/kernels/support/strides.h"
#include "gen/kernels/support/text.h"

namespace <%= ns %> {

Status MakeDeviceStrides(const Shape& shape, const std::vector<int64_t>& strides,
                         DeviceStrides* made) {
  Shape dims;
  std::vector<int64_t> steps;
  JoinDims(shape, strides, &dims, &steps);
  if (dims.size() > static_cast<size_t>(kMaxDeviceDims)) {
    return NotImplemented(Text() << "moving elements to shape " << shape << " takes more than "
                                 << int64_t{kMaxDeviceDims} << " dimensions");
  }
  made->rank = static_cast<int>(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    made->dims[i] = dims[i];
    made->steps[i] = steps[i];
  }
  return Status();
}

}  // namespace <%= ns %>
