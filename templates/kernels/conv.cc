<% from "kernels/parts.inc" import cases %>
<% from "kernels/conv.inc" import resolve, read_and_infer %>
<% from "kernels/nhwc.inc" import inputs_of, nhwc_read_and_infer, see_inputs %>
<%= banner %>
#include "<%= k.header %>"

<% if k.base %>
#include "gen/kernels/support/channels_last.h"
<% endif %>
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/gemm.h"
#include "gen/kernels/support/image_columns.h"

namespace <%= ns %> {
namespace {

<%= resolve(k) %>

// One product of matrices for each image and group. The right-hand one is the group's input.
template <class T>
class GroupProducts final : public Products<T> {
 public:
  GroupProducts(const ProductSizes& sizes, const Window& window, int64_t group, Inputs inputs, T* y)
      : Products<T>(sizes),
        window_(window),
        group_(group),
        x_(inputs[0].data<T>()),
<% if k.base %>
        in_(inputs[1].shape[1]),
<% else %>
        x_step_(inputs[1].shape[1] * window.input_size()),
<% endif %>
        w_(inputs[1].data<T>()),
        y_(y) {}

  MatrixView<T> Left(int64_t index) const override {
    return {w_ + index % group_ * this->sizes().m * this->sizes().depth, this->sizes().depth, 1};
  }
  void PackRight(int64_t index, const Piece& piece, T* to) const override {
<% if k.base %>
    const int64_t channels = group_ * in_;
    const T* image = x_ + index / group_ * window_.input_size() * channels;
    PackImage(window_, image + index % group_ * in_, {1, channels}, piece, to);
  }
  T* Result(int64_t index) const override {
    const ProductSizes& sizes = this->sizes();
    return y_ + (index / group_ * sizes.n * group_ + index % group_) * sizes.m;
  }
  // The channels of a pixel lie next to each other.
  ResultSteps Steps() const override { return {1, group_ * this->sizes().m}; }
<% else %>
    PackImage(window_, x_ + index * x_step_, piece, to);
  }
  T* Result(int64_t index) const override { return y_ + index * this->sizes().m * this->sizes().n; }
<% endif %>

 private:
  const Window& window_;
  int64_t group_;
  const T* x_;
<% if k.base %>
  int64_t in_;  // channels of a group
<% else %>
  int64_t x_step_;
<% endif %>
  const T* w_;
  T* y_;
};

<% if not k.base %>
// Adds one tap of the kernel, times `weight`, to all pixels of an output plane.
template <class T>
void AddTap(const Window& window, int64_t kz, int64_t ky, int64_t kx, T weight, const T* x, T* y) {
  const Slide& width = window.width;
  const int64_t dx = kx * width.dilation - width.pad_begin;
  const int64_t begin = dx < 0 ? (-dx + width.stride - 1) / width.stride : 0;
  const int64_t room = width.input - dx;
  const int64_t fit = room > 0 ? (room + width.stride - 1) / width.stride : 0;
  const int64_t end = fit < width.output ? fit : width.output;
  for (int64_t oz = 0; oz < window.depth.output; ++oz) {
    const int64_t z = window.depth.start(oz) + kz * window.depth.dilation;
    if (z < 0 || z >= window.depth.input) continue;
    for (int64_t oy = 0; oy < window.height.output; ++oy) {
      const int64_t line = window.height.start(oy) + ky * window.height.dilation;
      if (line < 0 || line >= window.height.input) continue;
      const T* from = x + (z * window.height.input + line) * width.input + dx;
      T* to = y + (oz * window.height.output + oy) * width.output;
      if (width.stride == 1) {
        for (int64_t i = begin; i < end; ++i) to[i] += weight * from[i];
      } else {
        for (int64_t i = begin; i < end; ++i) to[i] += weight * from[i * width.stride];
      }
    }
  }
}

<% endif %>
// Groups of fewer output channels, such as those of a depthwise convolution, are no matrices.
constexpr int64_t kFewChannels = 4;

<% if k.base %>
// Adds one tap of the kernel, at which the input has the channels in `x`, to all channels of an
// output pixel.
template <class T>
void AddTap(const Shape& w_shape, int64_t taps, int64_t group, const T* w, const T* x, T* y) {
  const int64_t outs = w_shape[0] / group;
  const int64_t ins = w_shape[1];
  for (int64_t g = 0; g < group; ++g, x += ins) {
    for (int64_t out = 0; out < outs; ++out, ++y) {
      for (int64_t in = 0; in < ins; ++in, w += taps) *y += *w * x[in];
    }
  }
}

// For them: pixel by pixel.
template <class T>
void ConvolvePixels(const Window& window, Inputs inputs, int64_t group, T* y, Exec& exec) {
  const Shape& w_shape = inputs[1].shape;
  const int64_t outs = w_shape[0];
  const int64_t ins = inputs[0].shape[1];
  const int64_t pixels = window.output_size();
  const int64_t taps = window.taps();
  const Slide& height = window.height;
  const Slide& width = window.width;
  const T* x = inputs[0].data<T>();
  const T* w = inputs[1].data<T>();
  const int64_t cost = taps * outs * w_shape[1];
  ParallelFor(exec, inputs[0].shape[0] * pixels, cost, [&](int64_t begin, int64_t end) {
    for (int64_t pixel = begin; pixel < end; ++pixel) {
      const T* image = x + pixel / pixels * window.input_size() * ins;
      const int64_t row = pixel % pixels / width.output;
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t line = tap / width.kernel;
        const int64_t at_z = window.depth.start(row / height.output) + line / height.kernel * window.depth.dilation;
        const int64_t at_y = height.start(row % height.output) + line % height.kernel * height.dilation;
        const int64_t at_x = width.start(pixel % width.output) + tap % width.kernel * width.dilation;
        if (at_z < 0 || at_z >= window.depth.input || at_y < 0 || at_y >= height.input) continue;
        if (at_x < 0 || at_x >= width.input) continue;
        const T* from = image + ((at_z * height.input + at_y) * width.input + at_x) * ins;
        AddTap(w_shape, taps, group, w + tap, from, y + pixel * outs);
      }
    }
  });
}

<% else %>
// For them: plane by plane.
template <class T>
void ConvolvePlanes(const Window& window, Inputs inputs, int64_t group, T* y, Exec& exec) {
  const Shape& w_shape = inputs[1].shape;
  const int64_t batch = inputs[0].shape[0];
  const int64_t outs = w_shape[0];
  const int64_t ins = w_shape[1];
  const T* x = inputs[0].data<T>();
  const T* w = inputs[1].data<T>();
  const int64_t cost = window.output_size() * window.taps() * ins;
  ParallelFor(exec, batch * outs, cost, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t out = plane % outs;
      const int64_t first = (plane / outs * group + out / (outs / group)) * ins;
      const T* weight = w + out * ins * window.taps();
      for (int64_t in = 0; in < ins; ++in) {
        const T* from = x + (first + in) * window.input_size();
        for (int64_t kz = 0; kz < window.depth.kernel; ++kz) {
          for (int64_t ky = 0; ky < window.height.kernel; ++ky) {
            for (int64_t kx = 0; kx < window.width.kernel; ++kx) {
              AddTap(window, kz, ky, kx, *weight++, from, y + plane * window.output_size());
            }
          }
        }
      }
    }
  });
}

<% endif %>
template <class T>
Status Convolve(const Window& window, Inputs inputs, int64_t group, MutableTensor& output,
                Exec& exec) {
  T* y = output.data<T>();
  const T* bias = inputs.has(2) ? inputs[2].data<T>() : nullptr;
  const int64_t pixels = window.output_size();
<% if k.base %>
  const int64_t channels = inputs[1].shape[0];
  ParallelFor(exec, output.shape[0] * pixels, channels, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * channels; i < end * channels; ++i) {
      y[i] = bias == nullptr ? T{} : bias[i % channels];
    }
  });
<% else %>
  const int64_t channels = output.shape[1];
  ParallelFor(exec, output.shape[0] * channels, pixels, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const T value = bias == nullptr ? T{} : bias[plane % channels];
      for (int64_t i = 0; i < pixels; ++i) y[plane * pixels + i] = value;
    }
  });
<% endif %>
  const ProductSizes sizes{output.shape[0] * group, channels / group, pixels,
                           inputs[1].shape[1] * window.taps()};
  if (sizes.m < kFewChannels) {
    Convolve<% if k.base %>Pixels<% else %>Planes<% endif %>(window, inputs, group, y, exec);
  } else {
    AddProducts(GroupProducts<T>(sizes, window, group, inputs, y), exec);
  }
  return Status();
}

}  // namespace

<% if k.base %>
<%= nhwc_read_and_infer(k) %>
<% else %>
<%= read_and_infer(k) %>
<% endif %>

Status Compute(const <%= k.attrs %>& attrs, Inputs <%= inputs_of(k) %>, Outputs outputs, Exec& exec) {
<%= see_inputs(k) -%>
  Window window;
  Shape shape;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &window, &shape));
  Flatten(&window);
  switch (inputs[0].dtype) {
<%= cases(k.t, "Convolve", "window, inputs, attrs.group, outputs[0], exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
