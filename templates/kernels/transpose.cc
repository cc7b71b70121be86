<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {
namespace {

// Which axis of the input each axis of the output is; all of them backwards where the node does not say.
Status Resolve(const <%= k.attrs %>& attrs, size_t rank, std::vector<size_t>* sources) {
  sources->resize(rank);
  if (attrs.perm.empty()) {
    for (size_t i = 0; i < rank; ++i) (*sources)[i] = rank - 1 - i;
    return Status();
  }
  std::vector<bool> named;
  EP_RETURN_IF_ERROR(ResolveAxes(attrs.perm, rank, &named));
  if (attrs.perm.size() != rank) {
    return InvalidArgument(Text() << "perm " << attrs.perm << " must have " << rank << " values");
  }
  for (size_t i = 0; i < rank; ++i) EP_RETURN_IF_ERROR(ResolveAxis(attrs.perm[i], rank, &(*sources)[i]));
  return Status();
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  std::vector<size_t> sources;
  EP_RETURN_IF_ERROR(Resolve(attrs, x.size(), &sources));
  shapes[0].clear();
  for (size_t source : sources) shapes[0].push_back(x[source]);
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  std::vector<size_t> sources;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs[0].shape.size(), &sources));
  const std::vector<int64_t> dense = DenseStrides(inputs[0].shape);
  std::vector<int64_t> strides;
  for (size_t source : sources) strides.push_back(dense[source]);
  return CopyStrided(exec, outputs[0].raw, inputs[0].raw, outputs[0].shape, strides, SizeOf(inputs[0].dtype));
}

}  // namespace <%= ns %>
