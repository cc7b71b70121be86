<%= banner %>
#include "gen/kernels/support/small_floats.h"

#include "gen/kernels/support/halves.h"

namespace <%= ns %> {
namespace {

// To float, with the lowest bit set where that is not exact: rounded once more to fewer bits, it
// gives what rounding once would have given.
float RoundToOdd(double value) noexcept {
  const float nearest = static_cast<float>(value);
  const double back = static_cast<double>(nearest);
  if (back == value || value != value) return nearest;
  uint32_t bits = BitsOfFloat(nearest);
  const bool is_further = (back > value) == (value > 0);
  if ((bits & 1u) == 0) bits = is_further && (bits & 0x7FFFFFFFu) != 0 ? bits - 1 : bits | 1u;
  return FloatOfBits(bits);
}
<% if small_types %>

// A type of at most 8 bits with a sign, an exponent and a fraction.
struct Format {
  int fraction_bits;
  int bias;
  uint32_t sign;      // its bit
  uint32_t largest;   // the largest number
  uint32_t infinity;  // NaN where the type has none
  uint32_t nan;
  bool one_zero;  // the sign alone is NaN
};

Format FormatOf(DType type) noexcept {
  switch (type) {
    case DType::kFloat8e4m3fn:
      return {3, 7, 0x80, 0x7E, 0x7F, 0x7F, false};
    case DType::kFloat8e4m3fnuz:
      return {3, 8, 0x80, 0x7F, 0x80, 0x80, true};
    case DType::kFloat8e5m2:
      return {2, 15, 0x80, 0x7B, 0x7C, 0x7E, false};
    case DType::kFloat8e5m2fnuz:
      return {2, 16, 0x80, 0x7F, 0x80, 0x80, true};
    default:  // float4e2m1, which has nothing but numbers
      return {1, 1, 0x08, 0x07, 0x07, 0x08, false};
  }
}

float PowerOfTwo(int exponent) noexcept {
  return FloatOfBits(static_cast<uint32_t>(exponent + 127) << 23);
}

float Decode(const Format& format, uint32_t bits) noexcept {
  const uint32_t magnitude = bits & (format.sign - 1);
  const float sign = (bits & format.sign) != 0 ? -1.0f : 1.0f;
  if (format.one_zero && bits == format.nan) return FloatOfBits(0x7FC00000u);
  if (magnitude > format.largest) {
    const bool is_infinity = format.infinity != format.nan && magnitude == format.infinity;
    return sign * FloatOfBits(is_infinity ? 0x7F800000u : 0x7FC00000u);
  }
  const uint32_t one = 1u << format.fraction_bits;
  const uint32_t fraction = magnitude & (one - 1);
  const int exponent = static_cast<int>(magnitude >> format.fraction_bits);
  const uint32_t steps = exponent == 0 ? fraction : fraction + one;
  const int lowest = (exponent == 0 ? 1 : exponent) - format.bias - format.fraction_bits;
  return sign * static_cast<float>(steps) * PowerOfTwo(lowest);
}

uint32_t Encode(const Format& format, bool saturates, float value) noexcept {
  const uint32_t bits = BitsOfFloat(value);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const uint32_t sign = bits >> 31 != 0 ? format.sign : 0;
  if (magnitude > 0x7F800000u) return format.one_zero ? format.nan : sign | format.nan;
  const int own = static_cast<int>(magnitude >> 23) - 127;
  const int exponent = own < 1 - format.bias ? 1 - format.bias : own;
  uint32_t code = format.largest + 1;
  if (exponent <= 16) {  // beyond it nothing fits
    // Adding 2^23 rounds to a whole number of steps, from the middle to an even one.
    const float scaled = FloatOfBits(magnitude) * PowerOfTwo(format.fraction_bits - exponent);
    const auto steps = static_cast<uint32_t>((scaled + 8388608.0f) - 8388608.0f);
    code = steps + (static_cast<uint32_t>(exponent + format.bias - 1) << format.fraction_bits);
  }
  if (code > format.largest) code = saturates ? format.largest : format.infinity;
  if (format.one_zero && (code == 0 || code == format.nan)) return code;
  return sign | code;
}

// A power of two, from 2^-127 to 2^127; 255 is NaN. It has neither a sign nor zero.
uint32_t EncodePower(bool saturates, Rounding rounding, float value) noexcept {
  constexpr uint32_t kNan = 255;
  const uint32_t bits = BitsOfFloat(value);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u || (bits != magnitude && magnitude != 0)) return kNan;
  if (magnitude == 0x7F800000u) return saturates ? kNan - 1 : kNan;
  if (magnitude < 0x00400000u) return saturates ? 0 : kNan;  // below 2^-127
  uint32_t code = magnitude >> 23;
  uint32_t rest = magnitude & 0x007FFFFFu;
  // Below 2^-126 floats have no leading 1: what is there begins at 2^-127.
  if (code == 0) rest = (rest - 0x00400000u) * 2;
  const bool goes_up = rounding == Rounding::kUp ? rest != 0 : rest >= 0x00400000u;
  if (rounding != Rounding::kDown && goes_up) ++code;
  return code < kNan ? code : (saturates ? kNan - 1 : kNan);
}

float DecodePower(uint32_t bits) noexcept {
  if (bits == 255) return FloatOfBits(0x7FC00000u);
  return bits == 0 ? FloatOfBits(0x00400000u) : FloatOfBits(bits << 23);
}
<% endif %>

}  // namespace

float DecodeSmallFloat(DType type, uint32_t bits) noexcept {
  if (type == DType::kFloat16) return FromFloat16(static_cast<uint16_t>(bits));
<% if small_types %>
  if (type == DType::kBfloat16) return FromBfloat16(static_cast<uint16_t>(bits));
  if (type == DType::kFloat8e8m0) return DecodePower(bits);
  return Decode(FormatOf(type), bits);
<% else %>
  return FromBfloat16(static_cast<uint16_t>(bits));
<% endif %>
}

uint32_t EncodeSmallFloat(const SmallFloat& to, double value) noexcept {
  const float rounded = RoundToOdd(value);
  if (to.type == DType::kFloat16) return ToFloat16(rounded);
<% if small_types %>
  if (to.type == DType::kBfloat16) return ToBfloat16(rounded);
  if (to.type == DType::kFloat8e8m0) return EncodePower(to.saturates, to.rounding, rounded);
  return Encode(FormatOf(to.type), to.saturates, rounded);
<% else %>
  return ToBfloat16(rounded);
<% endif %>
}

}  // namespace <%= ns %>
