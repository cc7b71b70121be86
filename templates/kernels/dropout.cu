<%= banner %>
#include "<%= k.header %>"

#include <cstdint>

#include "gen/kernels/support/copy.h"
#include "gen/kernels/support/errors.h"

namespace <%= ns %> {
namespace {

// The mask says what was kept: everything. Before version 12 it was left at zero in inference, and
// before version 10 it was of the type of the data.
Status FillMask(const <%= k.attrs %>& attrs, const MutableTensor& mask, Exec& exec) {
  const uint8_t byte = attrs.tells_kept ? 1 : 0;
  const int64_t bytes = mask.size() * static_cast<int64_t>(SizeOf(mask.dtype));
  return FillElements(exec, mask.raw, bytes, &byte, 1);
}

}  // namespace

// On the device inference alone, where nothing is dropped. Whether an input asks for training is known too late.
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
  if (outputs.has(1)) EP_RETURN_IF_ERROR(FillMask(attrs, outputs[1], exec));
  if (!outputs.has(0)) return Status();
  return CopyBytes(exec, outputs[0].raw, x.raw, count * SizeOf(x.dtype));
}

}  // namespace <%= ns %>
