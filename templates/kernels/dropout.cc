<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/copy.h"
#include "gen/kernels/support/errors.h"

namespace <%= ns %> {

// Inference alone, where nothing is dropped. Whether an input asks for training is known too late.
Status Read(const Node& node, <%= k.attrs %>&) {
  if (node.InputCount() > 2) return NotImplemented("training_mode: only inference is implemented");
  if (node.SinceVersion() < 10 && node.OutputCount() > 1) {
    return NotImplemented("a mask of numbers is not implemented");
  }
  return Status();
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  for (Shape& shape : shapes) shape = inputs[0].shape;
  return Status();
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  const Tensor& x = inputs[0];
  if (SizeOf(x.dtype) == 0) return UnsupportedType(<%= k.label | cpp_string %>, x.dtype);
  const auto count = static_cast<size_t>(x.size());
  if (outputs.has(1)) std::memset(outputs[1].raw, 1, count);  // all elements were kept
  if (!outputs.has(0)) return Status();
  return CopyBytes(exec, outputs[0].raw, x.raw, count * SizeOf(x.dtype));
}

}  // namespace <%= ns %>
