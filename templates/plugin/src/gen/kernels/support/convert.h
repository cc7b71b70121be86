<%= banner %>
#pragma once

#include <cstdint>
#include <type_traits>

#include "gen/kernels/support/device.h"

// Conversion between element types, defined for all values.
namespace <%= ns %> {

// To int32 or int64, cut towards zero. What does not fit is undefined in ONNX and in C++; here it
// gives the smallest integer, on every machine, as an x86 processor has it.
template <class Int, class Float>
EP_HOST_DEVICE Int Truncate(Float x) {
  constexpr Float kLimit = static_cast<Float>(sizeof(Int) == 4 ? 2147483648.0 : 9223372036854775808.0);
  constexpr Int kSmallest = static_cast<Int>(uint64_t{1} << (sizeof(Int) * 8 - 1));
  // Below the smallest integer a double may still be cut to it; a float cannot come that close.
  const bool fits = x < kLimit && x >= -kLimit;
  return fits ? static_cast<Int>(x) : kSmallest;
}

// To bool everything but 0 is true. From a wider to a narrower integer the high bits are lost.
template <class Out, class In>
EP_HOST_DEVICE Out Convert(In x) {
  if constexpr (std::is_same_v<Out, bool>) {
    return x != In(0);
  } else if constexpr (std::is_integral_v<In> || std::is_floating_point_v<Out>) {
    return static_cast<Out>(x);
  } else if constexpr (std::is_same_v<Out, uint64_t>) {
    constexpr In kHalf = static_cast<In>(9223372036854775808.0);
    return x < kHalf ? static_cast<Out>(Truncate<int64_t>(x))
                     : static_cast<Out>(Truncate<int64_t>(x - kHalf)) ^ (uint64_t{1} << 63);
  } else if constexpr (std::is_same_v<Out, int32_t>) {
    return Truncate<int32_t>(x);
  } else {
    return static_cast<Out>(Truncate<int64_t>(x));
  }
}

}  // namespace <%= ns %>
