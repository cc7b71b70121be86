<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/tensor.h"

// Floating-point numbers of 16 bits and less, to and from the types that C++ computes in.
namespace <%= ns %> {

// To the nearest, away from zero or towards it: for float8e8m0, which has powers of two alone.
enum class Rounding { kUp, kDown, kNearest };

// How a number becomes one of a small type.
struct SmallFloat {
  DType type;
  bool saturates = true;  // what is too large becomes the largest; else infinity or NaN
  Rounding rounding = Rounding::kUp;
};

constexpr bool IsSmallFloat(DType dtype) noexcept {
  switch (dtype) {
    case DType::kFloat16:
    case DType::kBfloat16:
<% if small_types %>
    case DType::kFloat8e4m3fn:
    case DType::kFloat8e4m3fnuz:
    case DType::kFloat8e5m2:
    case DType::kFloat8e5m2fnuz:
    case DType::kFloat4e2m1:
    case DType::kFloat8e8m0:
<% endif %>
      return true;
    default:
      return false;
  }
}

// The number whose bits, of a type that IsSmallFloat, are `bits`; and back, rounded once.
float DecodeSmallFloat(DType type, uint32_t bits) noexcept;
uint32_t EncodeSmallFloat(const SmallFloat& to, double value) noexcept;

}  // namespace <%= ns %>
