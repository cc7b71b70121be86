<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&<% if k.attributes %> attrs<% endif %>, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  Shape target;
  EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "shape", &target));
  const Shape asked = target;
<% if k.attributes %>
  const bool keeps_zero = attrs.allowzero != 0;
<% else %>
  const bool keeps_zero = false;
<% endif %>
  int64_t* unknown = nullptr;
  bool zero = false;
  for (size_t i = 0; i < target.size(); ++i) {
    if (target[i] == -1) {
      if (unknown != nullptr) return InvalidArgument(Text() << "shape " << asked << " has -1 twice");
      unknown = &target[i];
      *unknown = 1;  // until the others are known
    } else if (target[i] == 0 && keeps_zero) {
      zero = true;
    } else if (target[i] == 0) {
      if (i >= x.size()) {
        return InvalidArgument(Text() << "shape " << asked << " copies a dimension that " << x << " lacks");
      }
      target[i] = x[i];
    }
  }
  EP_RETURN_IF_ERROR(CheckShape(target));
  const int64_t known = ElementCount(target);
  const int64_t count = ElementCount(x);
  if (unknown != nullptr) {
    if (zero || known == 0) return InvalidArgument(Text() << "-1 is ambiguous in shape " << asked << " of " << x);
    *unknown = count / known;
  }
  if (ElementCount(target) != count) {
    return InvalidArgument(Text() << "cannot reshape " << x << " to " << asked);
  }
  shapes[0] = target;
  return Status();
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  const size_t bytes = static_cast<size_t>(inputs[0].size()) * SizeOf(inputs[0].dtype);
  return CopyBytes(exec, outputs[0].raw, inputs[0].raw, bytes);
}

}  // namespace <%= ns %>
