<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/copy.h"
#include "gen/kernels/support/errors.h"

namespace <%= ns %> {

// ONNX Runtime checks that both types have the same number of bits, where it knows them.
Status Read(const Node&, <%= k.attrs %>&) { return Status(); }

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  shapes[0] = inputs[0].shape;
  return Status();
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  const Tensor& x = inputs[0];
<% if small_types %>
  const int64_t bits = BitsOf(x.dtype);
  if (bits != BitsOf(outputs[0].dtype)) return InvalidArgument("elements of the two types differ in size");
<% else %>
  const auto bits = static_cast<int64_t>(SizeOf(x.dtype)) * 8;
  if (SizeOf(x.dtype) != SizeOf(outputs[0].dtype)) return InvalidArgument("elements of the two types differ in size");
<% endif %>
  if (bits == 0) return UnsupportedType(<%= k.label | cpp_string %>, x.dtype);
  return CopyBytes(exec, outputs[0].raw, x.raw, static_cast<size_t>((x.size() * bits + 7) / 8));
}

}  // namespace <%= ns %>
