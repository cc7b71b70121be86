<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace <%= ns %> {

// Element types; the numbers are those of onnx.TensorProto.DataType.
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
};

// Bytes of one element; 0 for types without a fixed size.
constexpr size_t SizeOf(DType dtype) noexcept {
  switch (dtype) {
    case DType::kBool:
    case DType::kInt8:
    case DType::kUint8:
      return 1;
    case DType::kInt16:
    case DType::kUint16:
    case DType::kFloat16:
    case DType::kBfloat16:
      return 2;
    case DType::kInt32:
    case DType::kUint32:
    case DType::kFloat32:
      return 4;
    case DType::kInt64:
    case DType::kUint64:
    case DType::kFloat64:
      return 8;
    case DType::kUndefined:
    case DType::kString:
      break;
  }
  return 0;
}

// Dimensions, outermost first. Rank 0 is a scalar; a dimension may be 0.
using Shape = std::vector<int64_t>;
using Shapes = std::vector<Shape>;

// Number of elements: 1 for a scalar, 0 when any dimension is 0.
inline int64_t ElementCount(const Shape& shape) noexcept {
  int64_t count = 1;
  for (int64_t dim : shape) count *= dim;
  return count;
}

// A view of an input; owns no data. `raw` is what kernel code may read: on a device it is a device
// address, except for the inputs that the kernel table lists as host inputs.
struct Tensor {
  const void* raw = nullptr;
  DType dtype = DType::kUndefined;
  Shape shape;

  int64_t size() const noexcept { return ElementCount(shape); }
  template <class T>
  const T* data() const noexcept {
    return static_cast<const T*>(raw);
  }
};

// A view of an output that has its final shape and type.
struct MutableTensor {
  void* raw = nullptr;
  DType dtype = DType::kUndefined;
  Shape shape;

  int64_t size() const noexcept { return ElementCount(shape); }
  template <class T>
  T* data() const noexcept {
    return static_cast<T*>(raw);
  }
};

// The inputs of one call, by position. An optional input that was left out is absent, not missing:
// positions never shift.
class Inputs {
 public:
  Inputs(const Tensor* const* items, size_t count) noexcept : items_(items), count_(count) {}

  size_t size() const noexcept { return count_; }
  bool has(size_t index) const noexcept { return at(index) != nullptr; }
  // Null when absent.
  const Tensor* at(size_t index) const noexcept { return index < count_ ? items_[index] : nullptr; }
  // For inputs that the schema requires: the caller has checked that they are there.
  const Tensor& operator[](size_t index) const noexcept { return *items_[index]; }

 private:
  const Tensor* const* items_;
  size_t count_;
};

// The outputs of one call, by position; null where nobody asked for one.
class Outputs {
 public:
  Outputs(MutableTensor* const* items, size_t count) noexcept : items_(items), count_(count) {}

  size_t size() const noexcept { return count_; }
  bool has(size_t index) const noexcept { return at(index) != nullptr; }
  MutableTensor* at(size_t index) const noexcept { return index < count_ ? items_[index] : nullptr; }
  MutableTensor& operator[](size_t index) const noexcept { return *items_[index]; }

 private:
  MutableTensor* const* items_;
  size_t count_;
};

}  // namespace <%= ns %>
