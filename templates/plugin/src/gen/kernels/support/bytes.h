<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/tensor.h"
#include "gen/kernels/support/math.h"

// Tensors of 8-bit integers, signed or not, by one code for both.
namespace <%= ns %> {

// Reads elements. A signed one, its highest bit flipped, is 128 more than its value.
class ByteReader {
 public:
  explicit ByteReader(const Tensor& tensor)
      : data_(tensor.data<uint8_t>()), flip_(tensor.dtype == DType::kInt8 ? 128 : 0) {}

  int at(int64_t index) const { return (data_[index] ^ flip_) - flip_; }

 private:
  const uint8_t* data_;
  int flip_;
};

// Makes elements of numbers: rounds to the nearest integer, halves to even, moves by the zero point
// and cuts to the type's range. NaN becomes the smallest integer.
class ByteMaker {
 public:
  explicit ByteMaker(DType dtype)
      : low_(dtype == DType::kInt8 ? -128.0f : 0.0f), high_(low_ + 255.0f) {}

  uint8_t operator()(float x, int zero_point) const {
    const float moved = Nearbyint(x) + static_cast<float>(zero_point);
    const float low = moved > low_ ? moved : low_;
    return static_cast<uint8_t>(static_cast<int>(low < high_ ? low : high_));
  }

 private:
  float low_;
  float high_;
};

}  // namespace <%= ns %>
