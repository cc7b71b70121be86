<%= banner %>
#pragma once

#include <cstdint>
#include <cstring>

#include "gen/api/tensor.h"

// The 16-bit floats, float16 (IEEE 754 binary16) and bfloat16 (the upper half of a float), which
// C++17 has no types for: their bits, to and from float.
namespace <%= ns %> {

inline float FloatOfBits(uint32_t bits) noexcept {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline uint32_t BitsOfFloat(float value) noexcept {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float FromFloat16(uint16_t half) noexcept {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t magnitude = half & 0x7FFFu;
  // The exponent is biased by 15 instead of 127; its highest value stays the highest.
  const uint32_t rebias = magnitude < 0x7C00u ? 112u << 23 : 224u << 23;
  const uint32_t normal = (magnitude << 13) + rebias;
  // Below 2^-14 all that there is are multiples of 2^-24.
  const uint32_t small = BitsOfFloat(static_cast<float>(magnitude) * 0x1p-24f);
  return FloatOfBits(sign | (magnitude < 0x0400u ? small : normal));
}

inline float FromBfloat16(uint16_t half) noexcept {
  return FloatOfBits(static_cast<uint32_t>(half) << 16);
}

// To the nearest, from the middle to the even one; NaN stays NaN.
inline uint16_t ToFloat16(float value) noexcept {
  const uint32_t bits = BitsOfFloat(value);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  // Below 2^-14, adding 0.5 rounds to a multiple of 2^-24 and leaves it in the lowest bits.
  const uint32_t small = BitsOfFloat(FloatOfBits(magnitude) + 0.5f) - BitsOfFloat(0.5f);
  const uint32_t normal = (magnitude - (112u << 23) + 0x0FFFu + (magnitude >> 13 & 1u)) >> 13;
  const uint32_t nan = 0x7E00u | (magnitude >> 13 & 0x03FFu);
  uint32_t half = magnitude < 113u << 23 ? small : normal;
  half = magnitude < 0x477FF000u ? half : 0x7C00u;  // from 65520 on: infinity
  half = magnitude <= 0x7F800000u ? half : nan;
  return static_cast<uint16_t>(sign | half);
}

inline uint16_t ToBfloat16(float value) noexcept {
  const uint32_t bits = BitsOfFloat(value);
  const uint32_t rounded = bits + 0x7FFFu + (bits >> 16 & 1u);
  const bool is_nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
  return static_cast<uint16_t>((is_nan ? bits | 0x00400000u : rounded) >> 16);
}

constexpr bool IsHalf(DType dtype) noexcept {
  return dtype == DType::kFloat16 || dtype == DType::kBfloat16;
}

// Arrays; `type` is one of the two.
void HalvesToFloats(DType type, const uint16_t* halves, float* floats, int64_t count) noexcept;
void FloatsToHalves(DType type, const float* floats, uint16_t* halves, int64_t count) noexcept;

}  // namespace <%= ns %>
