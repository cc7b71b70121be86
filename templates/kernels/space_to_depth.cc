<% set to_space = k.p.to_space %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {
namespace {

// The order in which the channels of the to_space tensor are counted. DCR: the place in the block changes
// slowest, so that all channels of one place lie together. CRD: it changes fastest.
constexpr const char* kModes[] = {"DCR", "CRD"};

// X, taken apart into six dimensions; `sources` says which of them each dimension of Y is made of.
Shape TakeApart(const <%= k.attrs %>& attrs, const Shape& x, std::vector<int64_t>* sources) {
  const int64_t b = attrs.blocksize;
<% if to_space %>
  *sources = attrs.channel_first ? std::vector<int64_t>{0, 1, 4, 2, 5, 3} : std::vector<int64_t>{0, 3, 4, 1, 5, 2};
  const int64_t channels = x[1] / b / b;
  if (attrs.channel_first) return {x[0], channels, b, b, x[2], x[3]};
  return {x[0], b, b, channels, x[2], x[3]};
<% else %>
  *sources = attrs.channel_first ? std::vector<int64_t>{0, 1, 3, 5, 2, 4} : std::vector<int64_t>{0, 3, 5, 1, 2, 4};
  return {x[0], x[1], x[2] / b, b, x[3] / b, b};
<% endif %>
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  size_t mode = 0;
  EP_RETURN_IF_ERROR(node.Get("blocksize", &attrs.blocksize));
  EP_RETURN_IF_ERROR(ReadChoice(node, "mode", kModes, &mode));
  attrs.channel_first = mode == 1;
  if (attrs.blocksize >= 1 && attrs.blocksize <= INT32_MAX) return Status();
  return InvalidArgument(Text() << "blocksize is " << attrs.blocksize);
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  const int64_t b = attrs.blocksize;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(CheckRank(x, 4, "input"));
<% if to_space %>
  if (x[1] % (b * b) != 0) {
<% else %>
  if (x[2] % b != 0 || x[3] % b != 0) {
<% endif %>
    return InvalidArgument(Text() << "input of shape " << x << " does not fit blocks of " << b);
  }
<% if to_space %>
  EP_RETURN_IF_ERROR(CheckShape({x[0], x[1], x[2], b}));
  EP_RETURN_IF_ERROR(CheckShape({x[0], x[1], x[3], b}));
  shapes[0] = {x[0], x[1] / b / b, x[2] * b, x[3] * b};
<% else %>
  EP_RETURN_IF_ERROR(CheckShape({x[0], x[1], b, b}));
  shapes[0] = {x[0], x[1] * b * b, x[2] / b, x[3] / b};
<% endif %>
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  if (outputs[0].size() == 0) return Status();
  std::vector<int64_t> sources;
  const Shape x = TakeApart(attrs, inputs[0].shape, &sources);
  const std::vector<int64_t> dense = DenseStrides(x);
  Shape y = x;
  std::vector<int64_t> strides = x;
  for (size_t i = 0; i < x.size(); ++i) {
    y[i] = x[static_cast<size_t>(sources[i])];
    strides[i] = dense[static_cast<size_t>(sources[i])];
  }
  return CopyStrided(exec, outputs[0].raw, inputs[0].raw, y, strides, SizeOf(inputs[0].dtype));
}

}  // namespace <%= ns %>
