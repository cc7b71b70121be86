<%= banner %>
#pragma once

#include "gen/kernels/support/device.h"

// Comparisons that an expression makes and whose result a compiler can foresee, as that an unsigned
// number is not below 0: written with an operator, it warns of them.
namespace <%= ns %> {

template <class T>
EP_HOST_DEVICE bool Less(T a, T b) {
  return a < b;
}
template <class T>
EP_HOST_DEVICE bool LessOrEqual(T a, T b) {
  return a <= b;
}
template <class T>
EP_HOST_DEVICE bool Greater(T a, T b) {
  return a > b;
}
template <class T>
EP_HOST_DEVICE bool GreaterOrEqual(T a, T b) {
  return a >= b;
}
template <class T>
EP_HOST_DEVICE bool Equal(T a, T b) {
  return a == b;
}
template <class T>
EP_HOST_DEVICE bool Unequal(T a, T b) {
  return a != b;
}

}  // namespace <%= ns %>
