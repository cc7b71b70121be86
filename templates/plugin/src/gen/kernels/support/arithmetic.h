<%= banner %>
#pragma once

#include <cstdint>
#include <type_traits>

#include "gen/kernels/support/device.h"

// Arithmetic that is defined for all values. Integers wrap around as ONNX has it; in C++ the
// overflow of a signed one is undefined, so they are computed as uint64_t and cut to size.
namespace <%= ns %> {

template <class T>
EP_HOST_DEVICE T Negate(T x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(x));
  } else {
    return -x;
  }
}

// x < 0, where compilers warn of it when x is unsigned. Not -0.0, and not NaN.
template <class T>
EP_HOST_DEVICE bool IsNegative(T x) {
  if constexpr (std::is_unsigned_v<T>) {
    return false;
  } else {
    return x < T(0);
  }
}

// |x|; of -0.0 it is 0.0, and of the smallest integer it is itself.
template <class T>
EP_HOST_DEVICE T Magnitude(T x) {
  if constexpr (std::is_unsigned_v<T>) {
    return x;
  } else if constexpr (std::is_integral_v<T>) {
    return x < T(0) ? Negate(x) : x;
  } else {
    return x <= T(0) ? T(0) - x : x;
  }
}

// -1, 0 or 1; NaN stays NaN, and -0.0 itself.
template <class T>
EP_HOST_DEVICE T SignOf(T x) {
  if (x > T(0)) return T(1);
  if constexpr (!std::is_unsigned_v<T>) {
    if (x < T(0)) return T(-1);
  }
  return x;
}

// Puts x between low and high; NaN stays NaN.
template <class T>
EP_HOST_DEVICE T Clamp(T x, T low, T high) {
  const T raised = x < low ? low : x;
  return raised > high ? high : raised;
}

// NaN alone does not equal itself.
template <class T>
EP_HOST_DEVICE bool IsNan(T x) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return x != x;
  }
}

// The difference of two equal infinities is NaN, and NaN is not 0.
template <class T>
EP_HOST_DEVICE bool IsInfinite(T x) {
  return !IsNan(x) && x - x != T(0);
}

// The larger and the smaller of two; NaN if either is.
template <class T>
EP_HOST_DEVICE T Maximum(T a, T b) {
  return a > b || IsNan(a) ? a : b;
}
template <class T>
EP_HOST_DEVICE T Minimum(T a, T b) {
  return a < b || IsNan(a) ? a : b;
}

template <class T>
EP_HOST_DEVICE T Add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}

template <class T>
EP_HOST_DEVICE T Subtract(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  } else {
    return a - b;
  }
}

template <class T>
EP_HOST_DEVICE T Multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

// Integers are cut towards zero. A zero divisor of integers, undefined in ONNX, gives 0.
template <class T>
EP_HOST_DEVICE T Divide(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == T(0)) return T(0);
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return Negate(a);  // the smallest integer has no positive counterpart
    }
    return static_cast<T>(a / b);
  } else {
    return a / b;
  }
}

// a to the power b. Of integers it wraps around; one below 1 is cut to 0, and 0 to a negative
// power, undefined in ONNX, gives 0.
template <class T>
EP_HOST_DEVICE T IntegerPower(T a, int64_t b) {
  if (b < 0) {
    if (a == T(1)) return a;
    if constexpr (std::is_signed_v<T>) {
      if (a == T(-1)) return b % 2 == 0 ? T(1) : a;
    }
    return T(0);
  }
  uint64_t power = 1;
  uint64_t base = static_cast<uint64_t>(a);
  for (; b > 0; b /= 2) {
    if (b % 2 == 1) power *= base;
    base *= base;
  }
  return static_cast<T>(power);
}

// What is left of a after division by b: with the sign of a when `like_a`, else with that of b.
// By zero, undefined in ONNX for integers, it is 0.
template <class T>
EP_HOST_DEVICE T IntegerRemainder(T a, T b, bool like_a) {
  if (b == T(0)) return T(0);
  if constexpr (std::is_signed_v<T>) {
    if (b == T(-1)) return T(0);  // the quotient of the smallest integer would overflow
    const T rest = static_cast<T>(a % b);
    const bool wrong_sign = rest != T(0) && (rest < T(0)) != (b < T(0));
    return wrong_sign && !like_a ? static_cast<T>(rest + b) : rest;
  } else {
    return static_cast<T>(a % b);
  }
}

// Shifts to the left, or to the right, where copies of the sign come in. By less than nothing, or by
// the width of the type or more, all bits are gone.
template <class T>
EP_HOST_DEVICE T Shift(T a, T b, bool left) {
  if (IsNegative(b) || b >= static_cast<T>(sizeof(T) * 8)) {
    return static_cast<T>(IsNegative(a) && !left ? -1 : 0);
  }
  return left ? static_cast<T>(static_cast<uint64_t>(a) << b) : static_cast<T>(a >> b);
}

}  // namespace <%= ns %>
