<%= banner %>
#pragma once

#include <cstdint>

// Rotary position embedding: pairs of elements are turned by angles that depend on the position.
namespace <%= ns %> {

// Turns the first 2 * `half` elements of x, pair i by the angle whose cosine and sine are cosines[i]
// and sines[i]. Element i belongs to the one `half` behind it, or, `interleaved`, to its neighbour.
// y may be x.
template <class T>
void RotatePairs(const T* x, const T* cosines, const T* sines, int64_t half, bool interleaved,
                 T* y) {
  const int64_t step = interleaved ? 2 : 1;
  const int64_t apart = interleaved ? 1 : half;
  for (int64_t i = 0; i < half; ++i) {
    const T a = x[i * step];
    const T b = x[i * step + apart];
    y[i * step] = cosines[i] * a - sines[i] * b;
    y[i * step + apart] = sines[i] * a + cosines[i] * b;
  }
}

}  // namespace <%= ns %>
