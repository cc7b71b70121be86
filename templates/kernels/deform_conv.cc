<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/gemm.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// Checks the shapes against each other and lays the window on the input.
Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, Window* window, Shape* output) {
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  if (x.size() != 4) return NotImplemented(Text() << "X must have rank 4, not shape " << x);
  EP_RETURN_IF_ERROR(CheckRank(w, 4, "W"));
  if (w[0] % attrs.group != 0 || x[1] % attrs.group != 0 || x[1] / attrs.group != w[1] || x[1] % attrs.offset_group != 0) {
    return InvalidArgument(Text() << "X of shape " << x << " and W of shape " << w << " do not fit " << attrs.group << " groups and " << attrs.offset_group << " groups of offsets");
  }
  const std::vector<int64_t>& kernel = attrs.window.kernel;
  if (!kernel.empty() && kernel != std::vector<int64_t>{w[2], w[3]}) {
    return InvalidArgument(Text() << "kernel_shape " << kernel << " contradicts W of shape " << w);
  }
  EP_RETURN_IF_ERROR(LayWindow(attrs.window, w.data() + 2, 2, x, window, output));
  (*output)[1] = w[0];
  EP_RETURN_IF_ERROR(CheckShape({attrs.offset_group, window->taps(), 2}));
  const int64_t maps = attrs.offset_group * window->taps();
  const Shape offsets{x[0], 2 * maps, window->height.output, window->width.output};
  if (inputs[2].shape != offsets) {
    return InvalidArgument(Text() << "offset must have shape " << offsets << ", not " << inputs[2].shape);
  }
  if (inputs.has(3) && !IsVectorOf(w[0], inputs[3].shape)) {
    return InvalidArgument(Text() << "B must have " << w[0] << " values, not shape " << inputs[3].shape);
  }
  const Shape masks{x[0], maps, window->height.output, window->width.output};
  if (inputs.has(4) && inputs[4].shape != masks) {
    return InvalidArgument(Text() << "mask must have shape " << masks << ", not " << inputs[4].shape);
  }
  return CheckShape(*output);
}

// Between four pixels of a plane; beyond the borders there are zeros.
template <class T>
T SamplePixel(const Window& window, const T* plane, T y, T x) {
  const int64_t height = window.height.input;
  const int64_t width = window.width.input;
  if (!(y > T(-1) && y < static_cast<T>(height) && x > T(-1) && x < static_cast<T>(width))) return T{};
  const int64_t top = static_cast<int64_t>(Floor(y));
  const int64_t left = static_cast<int64_t>(Floor(x));
  const T down = y - static_cast<T>(top);
  const T right = x - static_cast<T>(left);
  const auto at = [&](int64_t line, int64_t column) {
    const bool inside = line >= 0 && line < height && column >= 0 && column < width;
    return inside ? plane[line * width + column] : T{};
  };
  const T above = (T(1) - right) * at(top, left) + right * at(top, left + 1);
  const T below = (T(1) - right) * at(top + 1, left) + right * at(top + 1, left + 1);
  return (T(1) - down) * above + down * below;
}

// One product of matrices for each image and group. The right-hand one has a row for each tap of
// each channel: the image, sampled where the offsets say.
template <class T>
class SampledProducts final : public Products<T> {
 public:
  SampledProducts(const ProductSizes& sizes, const Window& window, const <%= k.attrs %>& attrs,
                  Inputs inputs, T* y)
      : Products<T>(sizes),
        window_(window),
        group_(attrs.group),
        channels_(inputs[0].shape[1]),
        sharing_(channels_ / attrs.offset_group),
        maps_(attrs.offset_group * window.taps()),
        x_(inputs[0].data<T>()),
        w_(inputs[1].data<T>()),
        offsets_(inputs[2].data<T>()),
        bias_(inputs.has(3) ? inputs[3].data<T>() : nullptr),
        mask_(inputs.has(4) ? inputs[4].data<T>() : nullptr),
        y_(y) {}

  MatrixView<T> Left(int64_t index) const override {
    return {w_ + index % group_ * this->sizes().m * this->sizes().depth, this->sizes().depth, 1};
  }
  RowStarts<T> Start(int64_t index) const override {
    if (bias_ == nullptr) return {&zero_, 0};
    return {bias_ + index % group_ * this->sizes().m, 1};
  }
  T* Result(int64_t index) const override { return y_ + index * this->sizes().m * this->sizes().n; }

  void PackRight(int64_t index, const Piece& piece, T* to) const override {
    const int64_t taps = window_.taps();
    const int64_t image = index / group_;
    const int64_t pixels = this->sizes().n;
    for (int64_t p = piece.p; p < piece.p_end; ++p, to += kTileCols<T>) {
      const int64_t channel = index % group_ * (channels_ / group_) + p / taps;
      const int64_t tap = p % taps;
      const int64_t map = image * maps_ + channel / sharing_ * taps + tap;
      const T* plane = x_ + (image * channels_ + channel) * window_.input_size();
      const T* down = offsets_ + 2 * map * pixels;
      for (int64_t j = piece.j; j < piece.j_end; ++j) {
        const int64_t y = window_.height.start(j / window_.width.output) + tap / window_.width.kernel * window_.height.dilation;
        const int64_t x = window_.width.start(j % window_.width.output) + tap % window_.width.kernel * window_.width.dilation;
        const T value = SamplePixel(window_, plane, static_cast<T>(y) + down[j], static_cast<T>(x) + down[pixels + j]);
        to[j - piece.j] = mask_ == nullptr ? value : value * mask_[map * pixels + j];
      }
    }
  }

 private:
  const Window& window_;
  int64_t group_;
  int64_t channels_;
  int64_t sharing_;  // channels that share their offsets
  int64_t maps_;     // of offsets, for each image
  const T* x_;
  const T* w_;
  const T* offsets_;
  const T* bias_;
  const T* mask_;
  T* y_;
  T zero_{};
};

template <class T>
Status Convolve(const <%= k.attrs %>& attrs, const Window& window, Inputs inputs,
                const MutableTensor& output, Exec& exec) {
  const ProductSizes sizes{output.shape[0] * attrs.group, output.shape[1] / attrs.group,
                           window.output_size(), inputs[1].shape[1] * window.taps()};
  AddProducts(SampledProducts<T>(sizes, window, attrs, inputs, output.data<T>()), exec);
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  EP_RETURN_IF_ERROR(ReadWindow(node, &attrs.window));
  EP_RETURN_IF_ERROR(node.Get("group", &attrs.group));
  EP_RETURN_IF_ERROR(node.Get("offset_group", &attrs.offset_group));
  if (attrs.group >= 1 && attrs.offset_group >= 1) return Status();
  return InvalidArgument(Text() << "group is " << attrs.group << ", offset_group is " << attrs.offset_group);
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Window window;
  return Resolve(attrs, inputs, &window, &shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Window window;
  Shape shape;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &window, &shape));
  if (outputs[0].size() == 0) return Status();
  switch (inputs[0].dtype) {
<%= cases(k.t, "Convolve", "attrs, window, inputs, outputs[0], exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
