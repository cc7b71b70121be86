<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/column_image.h"
#include "gen/kernels/support/gemm.h"

namespace <%= ns %> {
namespace {

// What the node says of one spatial dimension beyond its Slide.
struct Wish {
  AutoPad auto_pad = AutoPad::kNotSet;
  int64_t extra = 0;  // output_padding
  int64_t size = -1;  // of the output; negative when the node does not say
};

// The size of Y, and the padding that leads to it. The slide is that of the convolution which leads
// back from Y to X: what it calls its input is Y.
Status SizeOutput(const Wish& wish, Slide* slide) {
  constexpr int64_t kMost = INT64_MAX / 4;  // so that sums stay exact
  if (slide->output > kMost / slide->stride) return InvalidArgument("X is far too large for its strides");
  const int64_t whole = (slide->output - 1) * slide->stride + slide->reach() + 1 + wish.extra;
  const bool same = wish.auto_pad == AutoPad::kSameUpper || wish.auto_pad == AutoPad::kSameLower;
  if (wish.size >= 0 || same) {
    slide->input = wish.size >= 0 ? wish.size : slide->output * slide->stride;
    const int64_t total = whole > slide->input ? whole - slide->input : 0;
    slide->pad_begin = wish.auto_pad == AutoPad::kSameUpper ? total / 2 : total - total / 2;
    slide->pad_end = total - slide->pad_begin;
    // Where X does not reach as far as a size that the node asks for, the rest is the bias alone.
    if (wish.size >= 0) return Status();
  }
  slide->input = whole - slide->pad_begin - slide->pad_end;
  if (slide->input >= 0) return Status();
  return InvalidArgument(Text() << "the padding removes more than the " << whole << " elements that there are");
}

// The shape of Y for what X and W say, and the window that leads back from it.
Status LayTransposed(const <%= k.attrs %>& attrs, const Shape& x, const Shape& w, Window* window,
                     Shape* output) {
  const size_t rank = x.size() - 2;
  const std::vector<int64_t>& asked = attrs.output_shape;
  if (!attrs.output_padding.empty() && attrs.output_padding.size() != rank) {
    return InvalidArgument(Text() << "output_padding " << attrs.output_padding << " must have " << rank << " values");
  }
  // Models exist whose output_shape is the whole shape, with images and channels.
  if (!asked.empty() && asked.size() != rank && asked.size() != rank + 2) {
    return InvalidArgument(Text() << "output_shape " << asked << " must have " << rank << " values");
  }
  // Checks everything else; its sizes are those of a convolution, and are replaced.
  WindowAttrs checked = attrs.window;
  checked.auto_pad = AutoPad::kSameUpper;
  EP_RETURN_IF_ERROR(LayWindow(checked, w.data() + 2, rank, x, window, output));
  Slide* slides[] = {&window->depth, &window->height, &window->width};
  for (size_t i = 0; i < rank; ++i) {
    Slide& slide = *slides[3 - rank + i];
    Wish wish;
    wish.auto_pad = attrs.window.auto_pad;
    if (!attrs.output_padding.empty()) wish.extra = attrs.output_padding[i];
    if (!asked.empty()) wish.size = asked[asked.size() - rank + i];
    const bool padded = wish.auto_pad == AutoPad::kNotSet && !attrs.window.pads.empty();
    slide.output = x[i + 2];
    slide.pad_begin = padded ? attrs.window.pads[i] : 0;
    slide.pad_end = padded ? attrs.window.pads[i + rank] : 0;
    EP_RETURN_IF_ERROR(SizeOutput(wish, &slide));
    (*output)[i + 2] = slide.input;
  }
  (*output)[1] = w[1] * attrs.group;
  return CheckShape(*output);
}

// Checks the shapes against each other and lays the window.
Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, Window* window, Shape* output) {
  const Shape& x = inputs[0].shape;
  const Shape& w = inputs[1].shape;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  if (x.size() < 3) return InvalidArgument(Text() << "X must have rank 3 or more, not shape " << x);
  EP_RETURN_IF_ERROR(CheckRank(w, x.size(), "W"));
  if (x[1] != w[0] || x[1] % attrs.group != 0) {
    return InvalidArgument(Text() << "X of shape " << x << " and W of shape " << w << " do not fit " << attrs.group << " groups");
  }
  EP_RETURN_IF_ERROR(CheckShape({attrs.group, w[1]}));
  if (inputs.has(2) && !IsVectorOf(w[1] * attrs.group, inputs[2].shape)) {
    return InvalidArgument(Text() << "B must have " << (w[1] * attrs.group) << " values, not shape " << inputs[2].shape);
  }
  const std::vector<int64_t>& kernel = attrs.window.kernel;
  bool agree = kernel.empty() || kernel.size() == w.size() - 2;
  for (size_t i = 0; agree && i < kernel.size(); ++i) agree = kernel[i] == w[i + 2];
  if (!agree) {
    return InvalidArgument(Text() << "kernel_shape " << kernel << " contradicts W of shape " << w);
  }
  return LayTransposed(attrs, x, w, window, output);
}

// For each image and group, columns = transposed weights * input.
template <class T>
class ColumnProducts final : public Products<T> {
 public:
  ColumnProducts(const ProductSizes& sizes, int64_t group, const T* x, const T* weights, T* columns)
      : Products<T>(sizes), group_(group), x_(x), weights_(weights), columns_(columns) {}

  MatrixView<T> Left(int64_t) const override { return {}; }
  const T* PackedLeft(int64_t index) const override {
    return weights_ + index % group_ * PackedLeftSize(this->sizes().m, this->sizes().depth);
  }
  void PackRight(int64_t index, const Piece& piece, T* to) const override {
    const ProductSizes& sizes = this->sizes();
    PackMatrix(MatrixView<T>{x_ + index * sizes.depth * sizes.n, sizes.n, 1}, T{1}, piece, to);
  }
  RowStarts<T> Start(int64_t) const override { return {&zero_, 0}; }
  T* Result(int64_t index) const override {
    return columns_ + index * this->sizes().m * this->sizes().n;
  }

 private:
  int64_t group_;
  const T* x_;
  const T* weights_;  // packed
  T* columns_;
  T zero_{};
};

// The weights of each group as the left-hand matrix of a product, packed: they lie in memory with
// its columns next to each other, which is slow to walk along the rows.
template <class T>
Status PackWeights(const Tensor& w, int64_t group, int64_t rows, int64_t depth, Exec& exec,
                   T** packed) {
  const int64_t size = PackedLeftSize(rows, depth);
  void* memory = nullptr;
  EP_RETURN_IF_ERROR(CheckShape({group, size}));
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(group * size) * sizeof(T), &memory));
  *packed = static_cast<T*>(memory);
  ParallelFor(exec, group, size, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      const MatrixView<T> matrix{w.data<T>() + g * depth * rows, 1, rows};
      PackLeft(matrix, rows, depth, *packed + g * size);
    }
  });
  return Status();
}

// As many images at a time as have about this many elements of columns.
constexpr int64_t kColumns = 1 << 20;

template <class T>
Status ConvolveTransposed(const Window& window, Inputs inputs, int64_t group,
                          const MutableTensor& output, Exec& exec) {
  const int64_t channels = output.shape[1];
  const int64_t plane = window.input_size();
  const int64_t batch = output.shape[0];
  const T* bias = inputs.has(2) ? inputs[2].data<T>() : nullptr;
  T* y = output.data<T>();
  ParallelFor(exec, batch * channels, plane, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T value = bias == nullptr ? T{} : bias[i % channels];
      for (int64_t j = 0; j < plane; ++j) y[i * plane + j] = value;
    }
  });
  if (inputs[0].size() == 0 || output.size() == 0) return Status();

  const int64_t rows = channels * window.taps();
  EP_RETURN_IF_ERROR(CheckShape({rows, window.output_size()}));
  const int64_t image = rows * window.output_size();
  const int64_t fit = image < kColumns ? kColumns / image : 1;
  const int64_t most = fit < batch ? fit : batch;
  EP_RETURN_IF_ERROR(CheckShape({most, image}));
  void* memory = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(most * image) * sizeof(T), &memory));
  T* columns = static_cast<T*>(memory);
  T* weights = nullptr;
  const int64_t depth = inputs[0].shape[1] / group;
  EP_RETURN_IF_ERROR(PackWeights(inputs[1], group, rows / group, depth, exec, &weights));
  const T* x = inputs[0].data<T>();
  const int64_t x_image = inputs[0].size() / batch;
  for (int64_t first = 0; first < batch; first += most) {
    const int64_t images = batch - first < most ? batch - first : most;
    const ProductSizes sizes{images * group, rows / group, window.output_size(), depth};
    AddProducts(ColumnProducts<T>(sizes, group, x + first * x_image, weights, columns), exec);
    AddColumns(window, columns, images * channels, y + first * channels * plane, exec);
  }
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  EP_RETURN_IF_ERROR(ReadWindow(node, &attrs.window));
  EP_RETURN_IF_ERROR(node.Get("group", &attrs.group));
  if (attrs.group < 1) return InvalidArgument(Text() << "group is " << attrs.group);
  EP_RETURN_IF_ERROR(node.Get("output_padding", &attrs.output_padding));
  EP_RETURN_IF_ERROR(node.Get("output_shape", &attrs.output_shape));
  for (const std::vector<int64_t>* values : {&attrs.output_padding, &attrs.output_shape}) {
    for (int64_t value : *values) {
      if (value >= 0 && value <= INT32_MAX) continue;
      return InvalidArgument(Text() << "output_padding or output_shape has the value " << value);
    }
  }
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
  switch (inputs[0].dtype) {
<%= cases(k.t, "ConvolveTransposed", "window, inputs, attrs.group, outputs[0], exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
