<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {
namespace {

// Which axis of the input each axis of the output is; all of them backwards where the node does not
// say.
Status Resolve(const <%= k.attrs %>& attrs, size_t rank, std::vector<int64_t>* sources) {
  *sources = attrs.perm;
  sources->resize(rank);
  if (attrs.perm.empty()) {
    for (size_t i = 0; i < rank; ++i) (*sources)[i] = static_cast<int64_t>(rank - 1 - i);
    return Status();
  }
  if (attrs.perm.size() != rank) {
    return InvalidArgument(Text() << "perm " << attrs.perm << " must have " << rank << " values");
  }
  return NormalizeAxes(rank, sources);
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  std::vector<int64_t> sources;
  EP_RETURN_IF_ERROR(Resolve(attrs, x.size(), &sources));
  shapes[0] = x;
  for (size_t i = 0; i < x.size(); ++i) shapes[0][i] = x[static_cast<size_t>(sources[i])];
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  std::vector<int64_t> sources;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs[0].shape.size(), &sources));
  const std::vector<int64_t> dense = DenseStrides(inputs[0].shape);
  std::vector<int64_t> strides = dense;
  for (size_t i = 0; i < dense.size(); ++i) strides[i] = dense[static_cast<size_t>(sources[i])];
  return CopyStrided(exec, outputs[0].raw, inputs[0].raw, outputs[0].shape, strides, SizeOf(inputs[0].dtype));
}

}  // namespace <%= ns %>
