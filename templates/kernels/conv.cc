<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/gemm.h"
#include "gen/kernels/support/image_columns.h"

namespace <%= ns %> {
namespace {

// Checks the shapes against each other and lays the window on the input.
Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, Window* window, Shape* output) {
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  if (x.size() < 3) return InvalidArgument(Text() << "X must have rank 3 or more, not shape " << x);
  EP_RETURN_IF_ERROR(CheckRank(w, x.size(), "W"));
  if (w[0] % attrs.group != 0 || x[1] % attrs.group != 0 || x[1] / attrs.group != w[1]) {
    return InvalidArgument(Text() << "X of shape " << x << " and W of shape " << w << " do not fit " << attrs.group << " groups");
  }
  if (inputs.has(2) && !IsVectorOf(w[0], inputs[2].shape)) {
    return InvalidArgument(Text() << "B must have " << w[0] << " values, not shape " << inputs[2].shape);
  }
  const std::vector<int64_t>& kernel = attrs.window.kernel;
  bool agree = kernel.empty() || kernel.size() == w.size() - 2;
  for (size_t i = 0; agree && i < kernel.size(); ++i) agree = kernel[i] == w[i + 2];
  if (!agree) {
    return InvalidArgument(Text() << "kernel_shape " << kernel << " contradicts W of shape " << w);
  }
  EP_RETURN_IF_ERROR(LayWindow(attrs.window, w.data() + 2, w.size() - 2, x, window, output));
  (*output)[1] = w[0];
  return CheckShape(*output);
}

// A kernel of one element that visits every element sees a row, whatever the rank.
void Flatten(Window* window) {
  for (const Slide* slide : {&window->depth, &window->height, &window->width}) {
    if (slide->kernel != 1 || slide->stride != 1 || slide->output != slide->input) return;
  }
  const int64_t size = window->input_size();
  *window = Window();
  window->width.input = size;
  window->width.output = size;
}

// One product of matrices for each image and group. The right-hand one is the group's input.
template <class T>
class GroupProducts final : public Products<T> {
 public:
  GroupProducts(const ProductSizes& sizes, const Window& window, int64_t group, Inputs inputs, T* y)
      : Products<T>(sizes),
        window_(window),
        group_(group),
        x_(inputs[0].data<T>()),
        x_step_(inputs[1].shape[1] * window.input_size()),
        w_(inputs[1].data<T>()),
        y_(y) {}

  MatrixView<T> Left(int64_t index) const override {
    return {w_ + index % group_ * this->sizes().m * this->sizes().depth, this->sizes().depth, 1};
  }
  void PackRight(int64_t index, const Piece& piece, T* to) const override {
    PackImage(window_, x_ + index * x_step_, piece, to);
  }
  T* Result(int64_t index) const override { return y_ + index * this->sizes().m * this->sizes().n; }

 private:
  const Window& window_;
  int64_t group_;
  const T* x_;
  int64_t x_step_;
  const T* w_;
  T* y_;
};

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

// Groups of fewer output channels, such as those of a depthwise convolution, are no matrices.
constexpr int64_t kFewChannels = 4;

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

template <class T>
Status Convolve(const Window& window, Inputs inputs, int64_t group, MutableTensor& output,
                Exec& exec) {
  T* y = output.data<T>();
  const T* bias = inputs.has(2) ? inputs[2].data<T>() : nullptr;
  const int64_t channels = output.shape[1];
  const int64_t pixels = window.output_size();
  ParallelFor(exec, output.shape[0] * channels, pixels, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const T value = bias == nullptr ? T{} : bias[plane % channels];
      for (int64_t i = 0; i < pixels; ++i) y[plane * pixels + i] = value;
    }
  });
  const ProductSizes sizes{output.shape[0] * group, channels / group, pixels,
                           inputs[1].shape[1] * window.taps()};
  if (sizes.m < kFewChannels) {
    ConvolvePlanes(window, inputs, group, y, exec);
  } else {
    AddProducts(GroupProducts<T>(sizes, window, group, inputs, y), exec);
  }
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  EP_RETURN_IF_ERROR(ReadWindow(node, &attrs.window));
  EP_RETURN_IF_ERROR(node.Get("group", &attrs.group));
  if (attrs.group < 1) return InvalidArgument(Text() << "group is " << attrs.group);
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Window window;
  return Resolve(attrs, inputs, &window, &shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
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
