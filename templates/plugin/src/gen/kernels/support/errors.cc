<%= banner %>
#include "gen/kernels/support/errors.h"

#include "gen/kernels/support/text.h"

namespace <%= ns %> {

const char* NameOf(DType dtype) noexcept {
  switch (dtype) {
    case DType::kFloat32:
      return "float32";
    case DType::kUint8:
      return "uint8";
    case DType::kInt8:
      return "int8";
    case DType::kUint16:
      return "uint16";
    case DType::kInt16:
      return "int16";
    case DType::kInt32:
      return "int32";
    case DType::kInt64:
      return "int64";
    case DType::kString:
      return "string";
    case DType::kBool:
      return "bool";
    case DType::kFloat16:
      return "float16";
    case DType::kFloat64:
      return "float64";
    case DType::kUint32:
      return "uint32";
    case DType::kUint64:
      return "uint64";
    case DType::kBfloat16:
      return "bfloat16";
    case DType::kUndefined:
      break;
  }
  return "an unknown type";
}

Status UnsupportedType(const char* op, DType dtype) {
  return NotImplemented(Text() << op << ": there is no kernel for " << NameOf(dtype));
}

Status BadShape(const char* op, size_t input, const Shape& shape, const char* what) {
  return InvalidArgument(Text() << op << ": input " << input << " of shape " << shape << " " << what);
}

}  // namespace <%= ns %>
