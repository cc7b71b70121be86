<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// An axis that counts from the end when negative, put into [0, rank].
int64_t Resolve(int64_t axis, int64_t rank) {
  if (axis < 0) axis += rank;
  return axis < 0 ? 0 : (axis > rank ? rank : axis);
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  EP_RETURN_IF_ERROR(node.Get("start", &attrs.start));
  return node.Get("end", &attrs.end);
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  const int64_t rank = static_cast<int64_t>(inputs[0].shape.size());
  const int64_t count = Resolve(attrs.end, rank) - Resolve(attrs.start, rank);
  shapes[0] = {count > 0 ? count : 0};
  return Status();
}

// The output is on the host; the elements of the input are not looked at.
Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec&) {
  const Shape& x = inputs[0].shape;
  const int64_t start = Resolve(attrs.start, static_cast<int64_t>(x.size()));
  int64_t* y = outputs[0].data<int64_t>();
  for (int64_t i = 0; i < outputs[0].shape[0]; ++i) y[i] = x[static_cast<size_t>(start + i)];
  return Status();
}

}  // namespace <%= ns %>
