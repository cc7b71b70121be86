<%= banner %>
#include "gen/kernels/support/numbers.h"

#include <cstring>

#include "gen/kernels/support/convert.h"

namespace <%= ns %> {
namespace {

template <class T>
void Write(T value, void* to) {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace

int64_t IntegerAt(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype) {
    case DType::kInt8:
      return tensor.data<int8_t>()[i];
    case DType::kInt16:
      return tensor.data<int16_t>()[i];
    case DType::kInt32:
      return tensor.data<int32_t>()[i];
    case DType::kInt64:
      return tensor.data<int64_t>()[i];
    case DType::kUint8:
      return tensor.data<uint8_t>()[i];
    case DType::kUint16:
      return tensor.data<uint16_t>()[i];
    case DType::kUint32:
      return tensor.data<uint32_t>()[i];
    case DType::kUint64:
      return Convert<int64_t>(tensor.data<uint64_t>()[i]);
    case DType::kFloat32:
      return Convert<int64_t>(tensor.data<float>()[i]);
    case DType::kFloat64:
      return Convert<int64_t>(tensor.data<double>()[i]);
    default:
      return 0;
  }
}

void WriteOne(DType dtype, void* to) {
  if (dtype == DType::kFloat32) return Write(1.0f, to);
  if (dtype == DType::kFloat64) return Write(1.0, to);
  switch (SizeOf(dtype)) {
    case 1:
      return Write(uint8_t{1}, to);
    case 2:
      return Write(uint16_t{1}, to);
    case 4:
      return Write(uint32_t{1}, to);
    default:
      return Write(uint64_t{1}, to);
  }
}

}  // namespace <%= ns %>
