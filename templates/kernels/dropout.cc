<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/copy.h"
#include "gen/kernels/support/errors.h"

namespace <%= ns %> {
namespace {

// The mask says what was kept: everything. Before version 12 it was left at zero in inference, and
// before version 10 it was of the type of the data.
void FillMask(const <%= k.attrs %>& attrs, MutableTensor& mask) {
  const size_t bytes = static_cast<size_t>(mask.size()) * SizeOf(mask.dtype);
  std::memset(mask.raw, attrs.tells_kept ? 1 : 0, bytes);
}

}  // namespace

// Inference alone, where nothing is dropped. Whether an input asks for training is known too late.
Status Read(const Node& node, <%= k.attrs %>& attrs) {
  attrs.tells_kept = node.SinceVersion() >= 12;
  if (node.InputCount() > 2) return NotImplemented("training_mode: only inference is implemented");
  return Status();
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  for (Shape& shape : shapes) shape = inputs[0].shape;
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Tensor& x = inputs[0];
  if (SizeOf(x.dtype) == 0) return UnsupportedType(<%= k.label | cpp_string %>, x.dtype);
  const auto count = static_cast<size_t>(x.size());
  if (outputs.has(1)) FillMask(attrs, outputs[1]);
  if (!outputs.has(0)) return Status();
  return CopyBytes(exec, outputs[0].raw, x.raw, count * SizeOf(x.dtype));
}

}  // namespace <%= ns %>
