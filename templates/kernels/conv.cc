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
<% if packs %>
        packed_(static_cast<const T*>(inputs[1].packed)),
<% endif %>
        bias_(inputs.has(2) ? inputs[2].data<T>() : &zero_),
        bias_step_(inputs.has(2) ? 1 : 0),
        y_(y) {}

  MatrixView<T> Left(int64_t index) const override {
    return {w_ + index % group_ * this->sizes().m * this->sizes().depth, this->sizes().depth, 1};
  }
<% if packs %>
  const T* PackedLeft(int64_t index) const override {
    const ProductSizes& sizes = this->sizes();
    if (packed_ == nullptr) return nullptr;
    return packed_ + index % group_ * PackedLeftSize(sizes.m, sizes.depth);
  }
<% endif %>
  RowStarts<T> Start(int64_t index) const override {
    return {bias_ + index % group_ * this->sizes().m * bias_step_, bias_step_};
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
<% if packs %>
  const T* packed_;
<% endif %>
  const T zero_{};
  const T* bias_;
  int64_t bias_step_;
  T* y_;
};

<% if not k.base %>
// Adds a line of kTaps taps to the pixels [begin, end) of a line of the output, for which all of
// them are inside of the input. The compiler makes vectors of this.
template <class T, int kTaps>
void AddInner(const T* weights, const T* from, int64_t begin, int64_t end, T* to) {
  for (int64_t i = begin; i < end; ++i) {
    T sum = to[i];
    for (int k = 0; k < kTaps; ++k) sum += weights[k] * from[i + k];
    to[i] = sum;
  }
}

// A line of taps of the kernel, on a line of the input.
template <class T>
void AddLine(const Slide& width, const T* weights, const T* from, T* to) {
  // The pixels at the edges miss some of the taps.
  const int64_t first = (width.pad_begin + width.stride - 1) / width.stride;
  const int64_t room = width.input + width.pad_begin - width.reach();
  const int64_t fit = room > 0 ? (room + width.stride - 1) / width.stride : 0;
  const int64_t begin = first < width.output ? first : width.output;
  const int64_t end = fit < begin ? begin : fit < width.output ? fit : width.output;
  for (int64_t i = 0; i < width.output; ++i) {
    if (i == begin) i = end;
    if (i >= width.output) break;
    const int64_t start = width.start(i);
    const Taps taps = TapsInside(width, start);
    for (int64_t k = taps.begin; k < taps.end; ++k) to[i] += weights[k] * from[start + k * width.dilation];
  }
  const T* inner = from - width.pad_begin;
  const bool is_dense = width.dilation == 1;
  if (is_dense && width.kernel == 3 && width.stride == 1) return AddInner<T, 3>(weights, inner, begin, end, to);
  if (is_dense && width.kernel == 5 && width.stride == 1) return AddInner<T, 5>(weights, inner, begin, end, to);
  for (int64_t k = 0; k < width.kernel; ++k) {
    const T* tap = inner + k * width.dilation;
    for (int64_t i = begin; i < end; ++i) to[i] += weights[k] * tap[i * width.stride];
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
  const T* bias = inputs.has(2) ? inputs[2].data<T>() : nullptr;
  const int64_t cost = taps * outs * w_shape[1];
  ParallelFor(exec, inputs[0].shape[0] * pixels, cost, [&](int64_t begin, int64_t end) {
    for (int64_t pixel = begin; pixel < end; ++pixel) {
      const T* image = x + pixel / pixels * window.input_size() * ins;
      const int64_t row = pixel % pixels / width.output;
      for (int64_t out = 0; out < outs; ++out) y[pixel * outs + out] = bias == nullptr ? T{} : bias[out];
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
// For them: line by line of the output.
template <class T>
void ConvolveLines(const Window& window, Inputs inputs, int64_t group, T* y, Exec& exec) {
  const Shape& w_shape = inputs[1].shape;
  const int64_t outs = w_shape[0];
  const int64_t ins = w_shape[1];
  const Slide& depth = window.depth;
  const Slide& height = window.height;
  const Slide& width = window.width;
  const T* x = inputs[0].data<T>();
  const T* w = inputs[1].data<T>();
  const T* bias = inputs.has(2) ? inputs[2].data<T>() : nullptr;
  const int64_t lines = depth.output * height.output;
  const int64_t cost = width.output * (window.taps() * ins + 1);
  ParallelFor(exec, inputs[0].shape[0] * outs * lines, cost, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const int64_t out = line / lines % outs;
      const int64_t image = line / lines / outs;
      const T* plane = x + (image * group + out / (outs / group)) * ins * window.input_size();
      const T* weights = w + out * ins * window.taps();
      const int64_t z = depth.start(line % lines / height.output);
      const int64_t top = height.start(line % height.output);
      const Taps planes = TapsInside(depth, z);
      const Taps rows = TapsInside(height, top);
      T* to = y + line * width.output;
      for (int64_t i = 0; i < width.output; ++i) to[i] = bias == nullptr ? T{} : bias[out];
      for (int64_t in = 0; in < ins; ++in, plane += window.input_size(), weights += window.taps()) {
        for (int64_t kz = planes.begin; kz < planes.end; ++kz) {
          for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
            const int64_t at = (z + kz * depth.dilation) * height.input + top + ky * height.dilation;
            const T* taps = weights + (kz * height.kernel + ky) * width.kernel;
            AddLine(width, taps, plane + at * width.input, to);
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
  const int64_t channels = inputs[1].shape[0];
  const ProductSizes sizes{output.shape[0] * group, channels / group, window.output_size(),
                           inputs[1].shape[1] * window.taps()};
  if (sizes.m < kFewChannels) {
    Convolve<% if k.base %>Pixels<% else %>Lines<% endif %>(window, inputs, group, y, exec);
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
<% if packs and not k.base %>

namespace {

// The weights as products of matrices see them; no products where they are of no use.
ProductSizes WeightSizes(const <%= k.attrs %>& attrs, const Shape& w) {
  if (w.size() < 3 || w[0] % attrs.group != 0 || w[0] / attrs.group < kFewChannels) return {};
  return {attrs.group, w[0] / attrs.group, 0, ElementCount(w) / w[0]};
}

template <class T>
size_t PackedBytes(const ProductSizes& sizes) {
  return static_cast<size_t>(sizes.count * PackedLeftSize(sizes.m, sizes.depth)) * sizeof(T);
}

template <class T>
void PackGroups(const ProductSizes& sizes, const Tensor& w, void* to) {
  for (int64_t group = 0; group < sizes.count; ++group) {
    const MatrixView<T> weights{w.data<T>() + group * sizes.m * sizes.depth, sizes.depth, 1};
    T* packed = static_cast<T*>(to) + group * PackedLeftSize(sizes.m, sizes.depth);
    PackLeft(weights, sizes.m, sizes.depth, packed);
  }
}

}  // namespace

size_t PackedSize(const <%= k.attrs %>& attrs, size_t input, const Tensor& constant) {
  if (input != 1) return 0;
  const ProductSizes sizes = WeightSizes(attrs, constant.shape);
  switch (constant.dtype) {
<%= cases(k.t, "PackedBytes", "sizes") -%>
    default:
      return 0;
  }
}

void Pack(const <%= k.attrs %>& attrs, size_t, const Tensor& constant, void* to) {
  const ProductSizes sizes = WeightSizes(attrs, constant.shape);
  switch (constant.dtype) {
<%= cases(k.t, "PackGroups", "sizes, constant, to") -%>
    default:
      return;
  }
}
<% endif %>

}  // namespace <%= ns %>
