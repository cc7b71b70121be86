<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// Where `index` of `count` lies between -1 and 1: from end to end, or in the middle of its share. An
// only one is at the end, as ONNX Runtime has it; ONNX leaves it open.
template <class T>
T Normal(bool align_corners, int64_t index, int64_t count) {
  const T at = static_cast<T>(index);
  if (!align_corners) return (T(2) * at + T(1)) / static_cast<T>(count) - T(1);
  return count == 1 ? T(1) : T(2) * at / static_cast<T>(count - 1) - T(1);
}

template <class T>
Status Transform(bool align_corners, Inputs inputs, const MutableTensor& grid, Exec& exec) {
  const T* theta = inputs[0].data<T>();
  T* y = grid.data<T>();
  const int64_t rank = grid.shape.back();
  const bool solid = rank == 3;
  const int64_t depth = solid ? grid.shape[1] : 1;
  const int64_t height = grid.shape[grid.shape.size() - 3];
  const int64_t width = grid.shape[grid.shape.size() - 2];
  ParallelFor(exec, grid.shape[0] * depth * height * width, 20, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t line = i / width;
      const int64_t image = line / height / depth;
      T from[4] = {Normal<T>(align_corners, i % width, width),
                   Normal<T>(align_corners, line % height, height), T(1), T(1)};
      if (solid) from[2] = Normal<T>(align_corners, line / height % depth, depth);
      for (int64_t row = 0; row < rank; ++row) {
        const T* factors = theta + (image * rank + row) * (rank + 1);
        T sum{};
        for (int64_t j = 0; j <= rank; ++j) sum += factors[j] * from[j];
        y[i * rank + row] = sum;
      }
    }
  });
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  int64_t align_corners = 0;
  EP_RETURN_IF_ERROR(node.Get("align_corners", &align_corners));
  attrs.align_corners = align_corners != 0;
  return Status();
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  const Shape& theta = inputs[0].shape;
  Shape size;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "size", &size));
  EP_RETURN_IF_ERROR(CheckShape(size));
  if (size.size() != 4 && size.size() != 5) {
    return InvalidArgument(Text() << "size must have 4 or 5 values, not " << size);
  }
  const int64_t rank = static_cast<int64_t>(size.size()) - 2;
  if (theta != Shape{size[0], rank, rank + 1}) {
    return InvalidArgument(Text() << "theta of shape " << theta << " does not fit a size of " << size);
  }
  size.erase(size.begin() + 1);
  size.push_back(rank);
  shapes[0] = size;
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  if (outputs[0].size() == 0) return Status();
  switch (inputs[0].dtype) {
<%= cases(k.t, "Transform", "attrs.align_corners, inputs, outputs[0], exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
