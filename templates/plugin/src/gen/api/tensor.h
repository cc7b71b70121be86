<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace <%= ns %> {

<% if small_types %>
// Element types; the numbers are ONNX Runtime's. Up to kFloat4e2m1 they are also those of
// onnx.TensorProto.DataType.
<% else %>
// Element types; the numbers are those of onnx.TensorProto.DataType.
<% endif %>
enum class DType : int32_t {
  kUndefined = 0,
  kFloat32 = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kFloat64 = 11,
  kUint32 = 12,
  kUint64 = 13,
  kBfloat16 = 16,
<% if small_types %>
  kFloat8e4m3fn = 17,
  kFloat8e4m3fnuz = 18,
  kFloat8e5m2 = 19,
  kFloat8e5m2fnuz = 20,
  kUint4 = 21,  // from here to kFloat4e2m1 two elements share a byte, the first has the low bits
  kInt4 = 22,
  kFloat4e2m1 = 23,
  kUint2 = 24,  // four elements share a byte
  kInt2 = 25,
  kFloat8e8m0 = 26,
<% endif %>
};

// Bytes of one element; 0 for types without a fixed size, and for those that are not listed above.
constexpr size_t SizeOf(DType dtype) noexcept {
  constexpr size_t kSizes[] = {0, 4, 1, 1, 2, 2, 4, 8, 0, 1, 2, 8, 4, 8, 0, 0, 2<% if small_types %>, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1<% endif %>};
  const size_t number = static_cast<size_t>(dtype);
  return number < sizeof(kSizes) / sizeof(kSizes[0]) ? kSizes[number] : 0;
}

<% if small_types %>
// The type that has this number in onnx.TensorProto.DataType.
constexpr DType FromProto(int64_t number) noexcept {
  switch (number) {
    case 24:
      return DType::kFloat8e8m0;
    case 25:
      return DType::kUint2;
    case 26:
      return DType::kInt2;
    default:
      return static_cast<DType>(number);
  }
}

// Bits of one element; 0 for types without a fixed size.
constexpr int64_t BitsOf(DType dtype) noexcept {
  if (dtype == DType::kUint2 || dtype == DType::kInt2) return 2;
  if (dtype == DType::kUint4 || dtype == DType::kInt4 || dtype == DType::kFloat4e2m1) return 4;
  return static_cast<int64_t>(SizeOf(dtype)) * 8;
}

<% endif %>
// float32, int64, ...
inline const char* NameOf(DType dtype) noexcept {
  constexpr const char* kNames[] = {"undefined", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "float64", "uint32", "uint64", "complex64", "complex128", "bfloat16"<% if small_types %>, "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4", "float4e2m1", "uint2", "int2", "float8e8m0"<% endif %>};
  const size_t number = static_cast<size_t>(dtype);
  return number < sizeof(kNames) / sizeof(kNames[0]) ? kNames[number] : "an unknown type";
}

// Dimensions, outermost first. Rank 0 is a scalar; a dimension may be 0.
using Shape = std::vector<int64_t>;
using Shapes = std::vector<Shape>;

// Number of elements: 1 for a scalar, 0 when any dimension is 0. Unsigned while it is counted: what
// stands before a 0 may be of any size.
inline int64_t ElementCount(const Shape& shape) noexcept {
  uint64_t count = 1;
  for (int64_t dim : shape) count *= static_cast<uint64_t>(dim);
  return static_cast<int64_t>(count);
}

// A view of a tensor; owns no data.
template <class Raw>
struct TensorView {
  Raw* raw = nullptr;
  DType dtype = DType::kUndefined;
  Shape shape;
<% if packing %>
  // A constant as the kernel that reads it has packed it (Kernel::Pack); `raw` is null then.
  const void* packed = nullptr;
<% endif %>

  int64_t size() const noexcept { return ElementCount(shape); }
  template <class T>
  auto* data() const noexcept {
    return static_cast<std::conditional_t<std::is_const_v<Raw>, const T, T>*>(raw);
  }
};

// An input. `raw` is what kernel code may read: on a device it is a device address, except for the
// inputs that the kernel table lists as host inputs.
using Tensor = TensorView<const void>;

// An output that has its final shape and type.
using MutableTensor = TensorView<void>;

// The inputs or the outputs of one call, by position. An optional input that was left out and an
// output that nobody asked for are absent, not missing: positions never shift.
template <class T>
class TensorList {
 public:
  TensorList(T* const* items, size_t count) noexcept : items_(items), count_(count) {}

  size_t size() const noexcept { return count_; }
  bool has(size_t index) const noexcept { return at(index) != nullptr; }
  // Null when absent.
  T* at(size_t index) const noexcept { return index < count_ ? items_[index] : nullptr; }
  // For those that the schema requires: the caller has checked that they are there.
  T& operator[](size_t index) const noexcept { return *items_[index]; }

 private:
  T* const* items_;
  size_t count_;
};

using Inputs = TensorList<const Tensor>;
using Outputs = TensorList<MutableTensor>;

}  // namespace <%= ns %>
