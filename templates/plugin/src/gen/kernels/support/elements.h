<%= banner %>
#pragma once

#include <cstdint>

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/device.h"

// What a variadic input has for one element of the output: an element of each of its tensors, of
// which there is at least one. A function sees `Xs`, one of the two below.
namespace <%= ns %> {

template <class T>
struct Elements {
  using Type = T;

  const void* const* in;  // the data of the tensors
  const int64_t* at;      // where in each of them; null: at `i` in all
  int64_t i;
  int64_t count;

  EP_HOST_DEVICE T operator[](int64_t k) const {
    return static_cast<const T*>(in[k])[at == nullptr ? i : at[k]];
  }
};

// Of so few tensors that their number is a constant: then compilers make a loop over the elements
// that computes several at once.
template <class T, int64_t number>
struct FewElements {
  using Type = T;
  static constexpr int64_t count = number;

  const T* data[number];
  int64_t i = 0;

  explicit FewElements(const void* const* in) {
    for (int64_t k = 0; k < number; ++k) data[k] = static_cast<const T*>(in[k]);
  }
  T operator[](int64_t k) const { return data[k][i]; }
};

// Calls body(xs) with the elements of `count` tensors; the body moves them on: xs.i = i.
template <class T, class Body>
void ForElements(const void* const* in, int64_t count, Body body) {
  switch (count) {
    case 1:
      return body(FewElements<T, 1>(in));
    case 2:
      return body(FewElements<T, 2>(in));
    case 3:
      return body(FewElements<T, 3>(in));
    case 4:
      return body(FewElements<T, 4>(in));
    default:
      return body(Elements<T>{in, nullptr, 0, count});
  }
}

template <class Xs>
EP_HOST_DEVICE typename Xs::Type Sum(const Xs& xs) {
  typename Xs::Type sum = xs[0];
  for (int64_t k = 1; k < xs.count; ++k) sum = Add(sum, xs[k]);
  return sum;
}

template <class Xs>
EP_HOST_DEVICE typename Xs::Type Mean(const Xs& xs) {
  return Divide(Sum(xs), static_cast<typename Xs::Type>(xs.count));
}

// NaN if any element is.
template <class Xs>
EP_HOST_DEVICE typename Xs::Type Maximum(const Xs& xs) {
  typename Xs::Type largest = xs[0];
  for (int64_t k = 1; k < xs.count; ++k) largest = Maximum(largest, xs[k]);
  return largest;
}
template <class Xs>
EP_HOST_DEVICE typename Xs::Type Minimum(const Xs& xs) {
  typename Xs::Type smallest = xs[0];
  for (int64_t k = 1; k < xs.count; ++k) smallest = Minimum(smallest, xs[k]);
  return smallest;
}

}  // namespace <%= ns %>
