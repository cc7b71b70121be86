<% from "kernels/parts.inc" import cases %>
<% from "kernels/conv.inc" import resolve, read_and_infer %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/launch.h"
#include "gen/kernels/support/matrix_product.h"

namespace <%= ns %> {
namespace {

<%= resolve(k) %>

// A convolution of dense images and weights.
template <class T>
struct Problem {
  Window window;
  int64_t batch;
  int64_t group;
  int64_t inputs;  // channels of a group
  int64_t outputs;
  const T* x;
  const T* w;
  const T* bias;  // null where there is none
  T* y;
};

// An element of the output, from all taps of all channels of its group.
template <class T>
struct ConvolveBody {
  Problem<T> p;
  int64_t channels;  // of the output, all groups

  EP_DEVICE void operator()(int64_t i) const {
    const Window& window = p.window;
    const int64_t pixels = window.output_size();
    const int64_t row = i % pixels / window.width.output;
    const int64_t z_start = window.depth.start(row / window.height.output);
    const int64_t y_start = window.height.start(row % window.height.output);
    const int64_t x_start = window.width.start(i % window.width.output);
    const Taps zs = TapsOnDevice(window.depth, z_start);
    const Taps ys = TapsOnDevice(window.height, y_start);
    const Taps xs = TapsOnDevice(window.width, x_start);
    const int64_t image = i / pixels / channels;
    const int64_t channel = i / pixels % channels;
    const T* plane = p.x + (image * p.group + channel / p.outputs) * p.inputs * window.input_size();
    const T* weights = p.w + channel * p.inputs * window.taps();
    T sum = p.bias == nullptr ? T{} : p.bias[channel];
    for (int64_t in = 0; in < p.inputs; ++in) {
      for (int64_t kz = zs.begin; kz < zs.end; ++kz) {
        const int64_t z = z_start + kz * window.depth.dilation;
        for (int64_t ky = ys.begin; ky < ys.end; ++ky) {
          const int64_t line = z * window.height.input + y_start + ky * window.height.dilation;
          const int64_t tap = (kz * window.height.kernel + ky) * window.width.kernel;
          for (int64_t kx = xs.begin; kx < xs.end; ++kx) {
            const int64_t at = x_start + kx * window.width.dilation;
            sum += weights[tap + kx] * plane[line * window.width.input + at];
          }
        }
      }
      plane += window.input_size();
      weights += window.taps();
    }
    p.y[i] = sum;
  }
};

template <class T>
struct BiasBody {
  const T* bias;
  T* y;
  int64_t pixels;
  int64_t channels;

  EP_DEVICE void operator()(int64_t i) const { y[i] += bias[i / pixels % channels]; }
};

// Where there is a bias, adds it to a result without.
template <class T>
Status AddBias(const Problem<T>& p, Exec& exec) {
  if (p.bias == nullptr) return Status();
  const int64_t pixels = p.window.output_size();
  const int64_t channels = p.group * p.outputs;
  return Launch(exec, p.batch * channels * pixels, BiasBody<T>{p.bias, p.y, pixels, channels});
}

// Copies images into larger ones, with zeros around them.
template <class T>
struct PadBody {
  const T* x;
  T* padded;
  Window from;
  Window to;

  EP_DEVICE void operator()(int64_t i) const {
    const int64_t row = i / to.width.input;
    const int64_t x_at = i % to.width.input - from.width.pad_begin;
    const int64_t y_at = row % to.height.input - from.height.pad_begin;
    const int64_t z_at = row / to.height.input % to.depth.input - from.depth.pad_begin;
    const bool inside = x_at >= 0 && x_at < from.width.input && y_at >= 0 &&
                        y_at < from.height.input && z_at >= 0 && z_at < from.depth.input;
    const int64_t plane = i / to.input_size();
    const int64_t line = (plane * from.depth.input + z_at) * from.height.input + y_at;
    padded[i] = inside ? x[line * from.width.input + x_at] : T{};
  }
};

// Whether as much padding at the end as at the beginning gives an output of the same size: what the
// windows see at the end is zeros all the same.
bool IsEven(const Slide& slide) {
  const int64_t room = slide.input + 2 * slide.pad_begin - slide.reach() - 1;
  return room >= 0 && room / slide.stride + 1 == slide.output;
}

// Makes the padding a part of the images. Leaves `p` alone where they would be too large.
template <class T>
Status PadImages(Problem<T>* p, Exec& exec) {
  constexpr int64_t kMost = INT32_MAX;
  Problem<T> padded = *p;
  int64_t count = p->batch * p->group * p->inputs;
  for (Slide* slide : {&padded.window.depth, &padded.window.height, &padded.window.width}) {
    slide->input += slide->pad_begin + slide->pad_end;
    slide->pad_begin = 0;
    slide->pad_end = 0;
    if (count > kMost / slide->input) return Status();
    count *= slide->input;
  }
  void* memory = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(count) * sizeof(T), &memory));
  T* images = static_cast<T*>(memory);
  EP_RETURN_IF_ERROR(Launch(exec, count, PadBody<T>{p->x, images, p->window, padded.window}));
  padded.x = images;
  *p = padded;
  return Status();
}

// By cuDNN. `done` is false where it is not there or cannot do it.
template <class T>
Status CallLibrary(DType dtype, Problem<T> p, Exec& exec, bool* done) {
  CudaLibraries* libraries = exec.Libraries();
  if (libraries == nullptr || !libraries->HasDnn()) return Status();
  const Window& window = p.window;
  if (!IsEven(window.depth) || !IsEven(window.height) || !IsEven(window.width)) {
    EP_RETURN_IF_ERROR(PadImages(&p, exec));
    if (!IsEven(window.depth) || !IsEven(window.height) || !IsEven(window.width)) return Status();
  }
  Convolution convolution;
  convolution.dtype = dtype;
  convolution.batch = p.batch;
  convolution.group = p.group;
  convolution.inputs = p.group * p.inputs;
  convolution.outputs = p.group * p.outputs;
  Convolution::Dim* dim = convolution.dims;
  for (const Slide* slide : {&window.depth, &window.height, &window.width}) {
    *dim++ = {slide->input,  slide->output,   slide->kernel,
              slide->stride, slide->dilation, slide->pad_begin};
  }
  convolution.x = p.x;
  convolution.w = p.w;
  convolution.y = p.y;
  EP_RETURN_IF_ERROR(libraries->Convolve(convolution, exec, done));
  return *done ? AddBias(p, exec) : Status();
}

// Whether the kernel has one element, and visits every one of the input.
bool IsFlat(const Window& window) {
  for (const Slide* slide : {&window.depth, &window.height, &window.width}) {
    if (slide->kernel != 1 || slide->stride != 1 || slide->output != slide->input) return false;
  }
  return true;
}

// A convolution with such a kernel: weights times images.
template <class T>
Status MultiplyWeights(DType dtype, const Problem<T>& p, Exec& exec) {
  MatrixProduct product;
  product.dtype = dtype;
  product.m = p.outputs;
  product.n = p.window.output_size();
  product.depth = p.inputs;
  product.a = p.w;
  product.b = p.x;
  product.c = p.y;
  product.count = p.batch * p.group;
  product.a_step = product.m * product.depth;
  product.b_step = product.depth * product.n;
  product.c_step = product.m * product.n;
  Broadcast stack;
  stack.rank = 2;  // every image meets the same weights
  stack.dims[0] = p.group == 1 ? 1 : p.batch;
  stack.dims[1] = p.group == 1 ? p.batch : p.group;
  stack.strides[0][1] = p.group == 1 ? 0 : 1;
  stack.strides[1][0] = p.group;
  stack.strides[1][1] = 1;
  EP_RETURN_IF_ERROR(MultiplyMatrices<T>(product, stack, exec));
  return AddBias(p, exec);
}

// Groups of fewer output channels, such as those of a depthwise convolution, are no matrices.
constexpr int64_t kFewChannels = 4;

template <class T>
Status Convolve(const Window& window, Inputs inputs, int64_t group, MutableTensor& output,
                Exec& exec) {
  const Shape& w = inputs[1].shape;
  const Problem<T> p{window,
                     inputs[0].shape[0],
                     group,
                     w[1],
                     w[0] / group,
                     inputs[0].data<T>(),
                     inputs[1].data<T>(),
                     inputs.has(2) ? inputs[2].data<T>() : nullptr,
                     output.data<T>()};
  const DType dtype = inputs[0].dtype;
  if (IsFlat(window) && p.outputs >= kFewChannels) return MultiplyWeights(dtype, p, exec);
  bool done = false;
  if (p.inputs > 0) EP_RETURN_IF_ERROR(CallLibrary(dtype, p, exec, &done));
  if (done) return Status();
  return Launch(exec, output.size(), ConvolveBody<T>{p, w[0]});
}

}  // namespace

<%= read_and_infer(k) %>

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
