<%= banner %>
#pragma once

#include "gen/kernels/support/device.h"

// The functions of <cmath> for float and double. Where the compiler has them built in, <cmath> is
// left out: it takes longer to compile than the kernels that use it.
#if defined(__GNUC__) && !defined(__CUDACC__)

#define EP_MATH(Name, name)                                    \
  inline float Name(float x) { return __builtin_##name##f(x); } \
  inline double Name(double x) { return __builtin_##name(x); }
#define EP_MATH2(Name, name)                                                  \
  inline float Name(float x, float y) { return __builtin_##name##f(x, y); } \
  inline double Name(double x, double y) { return __builtin_##name(x, y); }

#else

#include <cmath>

#define EP_MATH(Name, name)                                      \
  EP_HOST_DEVICE inline float Name(float x) { return std::name(x); } \
  EP_HOST_DEVICE inline double Name(double x) { return std::name(x); }
#define EP_MATH2(Name, name)                                                  \
  EP_HOST_DEVICE inline float Name(float x, float y) { return std::name(x, y); } \
  EP_HOST_DEVICE inline double Name(double x, double y) { return std::name(x, y); }

#endif

namespace <%= ns %> {

EP_MATH(Acos, acos)
EP_MATH(Acosh, acosh)
EP_MATH(Asin, asin)
EP_MATH(Asinh, asinh)
EP_MATH(Atan, atan)
EP_MATH(Atanh, atanh)
EP_MATH(Ceil, ceil)
EP_MATH(Cos, cos)
EP_MATH(Cosh, cosh)
EP_MATH(Erf, erf)
EP_MATH(Exp, exp)
EP_MATH(Expm1, expm1)
EP_MATH(Floor, floor)
EP_MATH(Log, log)
EP_MATH(Log1p, log1p)
EP_MATH(Nearbyint, nearbyint)
EP_MATH(Sin, sin)
EP_MATH(Sinh, sinh)
EP_MATH(Sqrt, sqrt)
EP_MATH(Tan, tan)
EP_MATH(Tanh, tanh)
EP_MATH2(Fmod, fmod)
EP_MATH2(Pow, pow)

// 1 / (1 + exp(-x)), without the overflow of exp on either side.
template <class T>
EP_HOST_DEVICE T Sigmoid(T x) {
  const T power = Exp(x < T(0) ? x : -x);
  return (x < T(0) ? power : T(1)) / (T(1) + power);
}

}  // namespace <%= ns %>

#undef EP_MATH
#undef EP_MATH2
