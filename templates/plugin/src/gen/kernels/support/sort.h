<%= banner %>
#pragma once

#include <cstdint>

#include "gen/kernels/support/arithmetic.h"

namespace <%= ns %> {

// An order of all values: NaN comes behind every number.
template <class T>
bool IsBelow(T a, T b) {
  return a < b || (IsNan(b) && !IsNan(a));
}

// Sorts `items` by merging ever longer runs; items that neither is less keep their order. `spare`
// has room for as many.
template <class Less>
void SortStably(int64_t* items, int64_t* spare, int64_t count, const Less& less) {
  int64_t* from = items;
  int64_t* to = spare;
  for (int64_t width = 1; width < count; width *= 2) {
    for (int64_t begin = 0; begin < count; begin += 2 * width) {
      const int64_t middle = count - begin > width ? begin + width : count;
      const int64_t end = count - middle > width ? middle + width : count;
      int64_t a = begin;
      int64_t b = middle;
      for (int64_t i = begin; i < end; ++i) {
        const bool take_b = a == middle || (b < end && less(from[b], from[a]));
        to[i] = take_b ? from[b++] : from[a++];
      }
    }
    int64_t* const sorted = to;
    to = from;
    from = sorted;
  }
  if (from == items) return;
  for (int64_t i = 0; i < count; ++i) items[i] = from[i];
}

}  // namespace <%= ns %>
