<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gen/api/node.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/kernels/support/device.h"

namespace <%= ns %> {

enum class AutoPad { kNotSet, kSameUpper, kSameLower, kValid };

// How a convolution or a pooling slides over its input, as the node says it. What is empty has the
// schema's default.
struct WindowAttrs {
  AutoPad auto_pad = AutoPad::kNotSet;
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pads;  // all begins, then all ends
  bool ceil_mode = false;
};

Status ReadWindow(const Node& node, WindowAttrs* attrs);

// One spatial dimension of a window on an actual input.
struct Slide {
  int64_t input = 1;
  int64_t output = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;

  // Where in the input the first tap of output `index` falls: negative inside the padding.
  EP_HOST_DEVICE int64_t start(int64_t index) const { return index * stride - pad_begin; }
  // How far the last tap is from the first one.
  EP_HOST_DEVICE int64_t reach() const { return (kernel - 1) * dilation; }
  // Whether all taps fall inside of the input when the first one falls at `at`.
  EP_HOST_DEVICE bool holds(int64_t at) const { return at >= 0 && at + reach() < input; }
};

// The taps [begin, end) of a window that fall inside of the input.
struct Taps {
  int64_t begin;
  int64_t end;
};

// For the window whose first tap falls at `start`, wherever that is.
EP_HOST_DEVICE inline Taps ClipTaps(const Slide& slide, int64_t start) {
  Taps taps{0, slide.kernel};
  if (start < 0) taps.begin = (-start + slide.dilation - 1) / slide.dilation;
  const int64_t room = slide.input - start;  // taps at this distance or beyond fall outside
  const int64_t fit = room > 0 ? (room + slide.dilation - 1) / slide.dilation : 0;
  if (fit < taps.end) taps.end = fit;
  if (taps.begin > taps.end) taps.begin = taps.end;
  return taps;
}

// The same, out of line.
Taps TapsAtEdge(const Slide& slide, int64_t start);

inline Taps TapsInside(const Slide& slide, int64_t start) {
  return slide.holds(start) ? Taps{0, slide.kernel} : TapsAtEdge(slide, start);
}

#ifdef EP_ON_DEVICE
EP_DEVICE inline Taps TapsOnDevice(const Slide& slide, int64_t start) {
  return slide.holds(start) ? Taps{0, slide.kernel} : ClipTaps(slide, start);
}
#endif

// A window on an actual input. There are always three spatial dimensions, so that one loop serves
// all ranks: the ones that the input lacks come first and have one element.
struct Window {
  Slide depth;
  Slide height;
  Slide width;

  EP_HOST_DEVICE int64_t taps() const { return depth.kernel * height.kernel * width.kernel; }
  EP_HOST_DEVICE int64_t input_size() const { return depth.input * height.input * width.input; }
  EP_HOST_DEVICE int64_t output_size() const { return depth.output * height.output * width.output; }
};

// One tap of one input channel: a row of the matrix that a convolution multiplies its weights by.
struct Tap {
  int64_t channel;
  int64_t z;
  int64_t y;
  int64_t x;

  Tap(const Window& window, int64_t row)
      : channel(row / window.taps()),
        z(row / (window.height.kernel * window.width.kernel) % window.depth.kernel),
        y(row / window.width.kernel % window.height.kernel),
        x(row % window.width.kernel) {}

  void Next(const Window& window) {
    if (++x < window.width.kernel) return;
    x = 0;
    if (++y < window.height.kernel) return;
    y = 0;
    if (++z < window.depth.kernel) return;
    z = 0;
    ++channel;
  }
};

// Lays a window of the `count` sizes in `kernel` on the spatial dimensions (the third and following
// ones) of `input`. `output` gets the shape of `input` with their output sizes.
Status LayWindow(const WindowAttrs& attrs, const int64_t* kernel, size_t count, const Shape& input,
                 Window* window, Shape* output);

}  // namespace <%= ns %>
