<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/gemm.h"

namespace <%= ns %> {
namespace {

// Checks the shapes against each other and lays the window on the input.
Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, Window* window, Shape* output) {
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  if (x.size() < 3) return InvalidArgument(Text() << "X must have rank 3 or more, not " << x);
  EP_RETURN_IF_ERROR(CheckRank(w, x.size(), "W"));
  if (w[0] % attrs.group != 0 || x[1] % attrs.group != 0 || x[1] / attrs.group != w[1]) {
    return InvalidArgument(Text() << "X of shape " << x << " and W of shape " << w << " do not fit " << attrs.group << " groups");
  }
  if (inputs.has(2) && inputs[2].shape != Shape{w[0]}) {
    return InvalidArgument(Text() << "B must have " << w[0] << " values, not shape " << inputs[2].shape);
  }
  const std::vector<int64_t> kernel(w.begin() + 2, w.end());
  if (!attrs.window.kernel.empty() && attrs.window.kernel != kernel) {
    return InvalidArgument(Text() << "kernel_shape " << attrs.window.kernel << " contradicts W of shape " << w);
  }
  for (int64_t size : kernel) {
    if (size < 1 || size > INT32_MAX) {
      return InvalidArgument(Text() << "no kernel has the sizes of W of shape " << w);
    }
  }
  *output = {x[0], w[0]};
  EP_RETURN_IF_ERROR(LayWindow(attrs.window, kernel, x, window, output));
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

// The input of one group, seen as the matrix whose columns are the pixels of the output and whose
// rows are the channels, each with every tap of the kernel ("im2col", without the copy).
template <class T>
struct ImageColumns {
  const T* input;
  const Window* window;

  // Where the first tap of a column falls.
  struct Corner {
    int64_t z;
    int64_t y;
    int64_t x;
  };

  void operator()(int64_t p, int64_t p_end, int64_t j, int64_t j_end, T* to, int64_t stride) const {
    const Slide& depth = window->depth;
    const Slide& height = window->height;
    const Slide& width = window->width;
    const int64_t cols = j_end - j;
    Corner corners[kTileCols];
    for (int64_t q = 0; q < cols; ++q) {
      const int64_t row = (j + q) / width.output;
      corners[q] = {depth.start(row / height.output), height.start(row % height.output),
                    width.start((j + q) % width.output)};
    }
    const bool one_run = width.stride == 1 && j / width.output == (j_end - 1) / width.output;
    for (; p < p_end; ++p, to += stride) {
      const int64_t tap_row = p / width.kernel;
      const int64_t dx = p % width.kernel * width.dilation;
      const int64_t dy = tap_row % height.kernel * height.dilation;
      const int64_t tap_plane = tap_row / height.kernel;
      const int64_t dz = tap_plane % depth.kernel * depth.dilation;
      const T* channel = input + tap_plane / depth.kernel * window->input_size();
      const int64_t first = corners[0].x + dx;
      if (one_run && Inside(corners[0].z + dz, depth) && Inside(corners[0].y + dy, height) &&
          first >= 0 && first + cols <= width.input) {
        const T* from = At(channel, corners[0].z + dz, corners[0].y + dy, first);
        for (int64_t q = 0; q < cols; ++q) to[q] = from[q];
        continue;
      }
      for (int64_t q = 0; q < cols; ++q) {
        const Corner at{corners[q].z + dz, corners[q].y + dy, corners[q].x + dx};
        const bool inside = Inside(at.z, depth) && Inside(at.y, height) && Inside(at.x, width);
        to[q] = inside ? *At(channel, at.z, at.y, at.x) : T{};
      }
    }
  }

  static bool Inside(int64_t position, const Slide& slide) {
    return position >= 0 && position < slide.input;
  }

  const T* At(const T* channel, int64_t z, int64_t y, int64_t x) const {
    return channel + (z * window->height.input + y) * window->width.input + x;
  }
};

// Adds one tap of the kernel, times `weight`, to all pixels of an output plane.
template <class T>
void AddTap(const Window& window, int64_t kz, int64_t ky, int64_t kx, T weight, const T* x, T* y) {
  const Slide& width = window.width;
  const int64_t dx = kx * width.dilation - width.pad_begin;
  const int64_t begin = dx < 0 ? (-dx + width.stride - 1) / width.stride : 0;
  const int64_t room = width.input - dx;
  const int64_t fit = room > 0 ? (room + width.stride - 1) / width.stride : 0;
  const int64_t end = Minimum(fit, width.output);
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

// For groups of few output channels, such as a depthwise convolution: plane by plane.
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

// For everything else: one product of matrices per image and group.
template <class T>
void ConvolveGroups(const Window& window, Inputs inputs, int64_t group, T* y, Exec& exec) {
  const Shape& w_shape = inputs[1].shape;
  const int64_t outs = w_shape[0] / group;
  const int64_t ins = w_shape[1];
  const int64_t pixels = window.output_size();
  const int64_t depth = ins * window.taps();
  const T* x = inputs[0].data<T>();
  const T* w = inputs[1].data<T>();
  AddProducts<T>(exec, inputs[0].shape[0] * group, outs, pixels, depth, [&](int64_t i) {
    const MatrixView<T> weights{w + i % group * outs * depth, depth, 1};
    const ImageColumns<T> columns{x + i * ins * window.input_size(), &window};
    return ProductOf<T, ImageColumns<T>>{weights, columns, y + i * outs * pixels, pixels};
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
  if (channels / group < kTileRows) {
    ConvolvePlanes(window, inputs, group, y, exec);
  } else {
    ConvolveGroups(window, inputs, group, y, exec);
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
<%= cases(k.t, "Convolve", "window, inputs, attrs.group, outputs[0], exec") %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
