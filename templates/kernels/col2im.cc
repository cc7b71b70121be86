<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/column_image.h"

namespace <%= ns %> {
namespace {

// Lays the window of blocks on the image, whose shape is `output`.
Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, Window* window, Shape* output) {
  const Shape& x = inputs[0].shape;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(CheckRank(x, 3, "input"));
  Shape image;
  std::vector<int64_t> block;
  EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "image_shape", &image));
  EP_RETURN_IF_ERROR(ReadIntegers(inputs[2], "block_shape", &block));
  EP_RETURN_IF_ERROR(CheckShape(image));
  image.insert(image.begin(), {x[0], 1});
  EP_RETURN_IF_ERROR(LayWindow(attrs.window, block.data(), block.size(), image, window, output));
  if (x[1] % window->taps() != 0 || x[2] != window->output_size()) {
    return InvalidArgument(Text() << "input of shape " << x << " does not hold " << window->output_size() << " blocks of " << block);
  }
  *output = image;
  (*output)[1] = x[1] / window->taps();
  return CheckShape(*output);
}

template <class T>
Status AddBlocks(const Window& window, Inputs inputs, const MutableTensor& output, Exec& exec) {
  T* y = output.data<T>();
  const int64_t planes = output.shape[0] * output.shape[1];
  const int64_t plane = window.input_size();
  if (output.size() == 0) return Status();
  ParallelFor(exec, planes, plane, [&](int64_t begin, int64_t end) {
    std::memset(y + begin * plane, 0, static_cast<size_t>((end - begin) * plane) * sizeof(T));
  });
  AddColumns(window, inputs[0].data<T>(), planes, y, exec);
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) { return ReadWindow(node, &attrs.window); }

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Window window;
  return Resolve(attrs, inputs, &window, &shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Window window;
  Shape shape;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &window, &shape));
  switch (inputs[0].dtype) {
<%= cases(k.t, "AddBlocks", "window, inputs, outputs[0], exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
