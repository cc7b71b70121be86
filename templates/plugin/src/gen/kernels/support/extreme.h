<%= banner %>
#pragma once

#include <cstdint>

#include "gen/kernels/support/device.h"

// Which element of a row is the largest, or the smallest, found by several threads.
namespace <%= ns %> {

// What a search from the front ends with that takes every element that is better than the one it
// has, or as good where the `last` is asked for. Element 0, which all threads begin with, it keeps
// if that is NaN; any other NaN it passes by, as nothing compares with one.
template <class T, class Better>
struct Search {
  const T* x;
  int64_t step;
  bool last;
  Better better;

  EP_HOST_DEVICE int64_t operator()(int64_t a, int64_t b) const {
    const int64_t front = a < b ? a : b;
    const int64_t back = a < b ? b : a;
    const T held = x[front * step];
    const T value = x[back * step];
    return better(value, held) || (last && value == held) ? back : front;
  }
};

struct IsLarger {
  template <class T>
  EP_HOST_DEVICE bool operator()(T a, T b) const {
    return a > b;
  }
};

// The index of that element among `count`, at least one, that lie `step` apart.
template <class T, class Better, class Threads>
EP_DEVICE int64_t FindExtreme(const Threads& threads, const T* x, int64_t count, int64_t step, bool last, Better better) {
  const Search<T, Better> search{x, step, last, better};
  return threads.Join(count, int64_t{0}, [](int64_t i) { return i; }, search);
}

}  // namespace <%= ns %>
