<% set to_space = k.p.to_space %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"

namespace <%= ns %> {
namespace {

// The order in which the channels of the deep tensor are counted. DCR: the place in the block changes
// slowest, so that all channels of one place lie together. CRD: it changes fastest.
constexpr const char* kModes[] = {"DCR", "CRD"};

// Line by line of the wide tensor: place i of a line of it is in one of `b` lines of the deep one.
template <class T>
Status Move(const <%= k.attrs %>& attrs, const Shape& wide, const void* x, void* y, Exec& exec) {
  const int64_t b = attrs.blocksize;
  const int64_t channels = wide[1];
  const int64_t height = wide[2] / b;
  const int64_t width = wide[3] / b;
  ParallelFor(exec, wide[0] * channels * wide[2], wide[3], [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const int64_t row = line % wide[2];
      const int64_t image = line / wide[2] / channels;
      const int64_t channel = line / wide[2] % channels;
      for (int64_t column = 0; column < b; ++column) {
        const int64_t place = row % b * b + column;
        const int64_t deep = attrs.channel_first ? channel * b * b + place : place * channels + channel;
        const int64_t start = ((image * b * b * channels + deep) * height + row / b) * width;
<% if to_space %>
        const T* from = static_cast<const T*>(x) + start;
        T* to = static_cast<T*>(y) + line * wide[3] + column;
        for (int64_t i = 0; i < width; ++i) to[i * b] = from[i];
<% else %>
        const T* from = static_cast<const T*>(x) + line * wide[3] + column;
        T* to = static_cast<T*>(y) + start;
        for (int64_t i = 0; i < width; ++i) to[i] = from[i * b];
<% endif %>
      }
    }
  });
  return Status();
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
  const Shape& wide = <% if to_space %>outputs<% else %>inputs<% endif %>[0].shape;
  // Elements are only moved, so all types of one size share a kernel.
  switch (inputs[0].dtype) {
<% for carrier, enumerators in k.by_size %>
<% for enumerator in enumerators %>
    case DType::<%= enumerator %>:
<% endfor %>
      return Move<<%= carrier %>>(attrs, wide, inputs[0].raw, outputs[0].raw, exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
