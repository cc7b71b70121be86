<%= banner %>
#include "gen/kernels/support/column_image.h"

#include "gen/kernels/support/arithmetic.h"

namespace <%= ns %> {
namespace {

constexpr int64_t kNowhere = -1;

// The place in the output of the window whose tap `k` falls on `position` of the input.
int64_t OutputAt(const Slide& slide, int64_t position, int64_t k) {
  const int64_t distance = position + slide.pad_begin - k * slide.dilation;
  if (distance < 0 || distance % slide.stride != 0) return kNowhere;
  const int64_t index = distance / slide.stride;
  return index < slide.output ? index : kNowhere;
}

// Adds a line of the elements of tap `k` to the line of the image that they fall on.
template <class T>
void AddLine(const Slide& width, int64_t k, const T* from, T* to) {
  const int64_t shift = k * width.dilation - width.pad_begin;
  const int64_t begin = shift < 0 ? (-shift + width.stride - 1) / width.stride : 0;
  const int64_t room = width.input - shift;
  const int64_t fit = room > 0 ? (room + width.stride - 1) / width.stride : 0;
  const int64_t end = fit < width.output ? fit : width.output;
  if (width.stride == 1) {
    for (int64_t i = begin; i < end; ++i) to[i + shift] = Add(to[i + shift], from[i]);
  } else {
    for (int64_t i = begin; i < end; ++i) {
      T& sum = to[i * width.stride + shift];
      sum = Add(sum, from[i]);
    }
  }
}

}  // namespace

// Line by line of the image, each of them by one thread: what falls on a line is looked for.
template <class T>
void AddColumns(const Window& window, const T* columns, int64_t planes, T* image, Exec& exec) {
  const Slide& height = window.height;
  const Slide& width = window.width;
  const int64_t lines = window.depth.input * height.input;
  const int64_t pixels = window.output_size();
  const int64_t cost = width.output * window.taps();
  ParallelFor(exec, planes * lines, cost, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const T* taps = columns + line / lines * window.taps() * pixels;
      for (int64_t kz = 0; kz < window.depth.kernel; ++kz) {
        const int64_t z = OutputAt(window.depth, line % lines / height.input, kz);
        for (int64_t ky = 0; z != kNowhere && ky < height.kernel; ++ky) {
          const int64_t y = OutputAt(height, line % height.input, ky);
          if (y == kNowhere) continue;
          const T* from = taps + (kz * height.kernel + ky) * width.kernel * pixels + (z * height.output + y) * width.output;
          for (int64_t kx = 0; kx < width.kernel; ++kx) {
            AddLine(width, kx, from + kx * pixels, image + line * width.input);
          }
        }
      }
    }
  });
}

<% for _, cpp in types %>
template void AddColumns(const Window&, const <%= cpp %>*, int64_t, <%= cpp %>*, Exec&);
<% endfor %>

}  // namespace <%= ns %>
