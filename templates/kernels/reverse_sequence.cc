<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  const bool first_two = (attrs.time_axis == 0 && attrs.batch_axis == 1) || (attrs.time_axis == 1 && attrs.batch_axis == 0);
  if (!first_two) return InvalidArgument("batch_axis and time_axis must be 0 and 1, in either order");
  if (x.size() < 2) return InvalidArgument(Text() << "shape " << x << " has no axes of batch and time");
  if (!IsVectorOf(x[static_cast<size_t>(attrs.batch_axis)], inputs[1].shape)) {
    return InvalidArgument(Text() << "sequence_lens of shape " << inputs[1].shape << " for shape " << x);
  }
  shapes[0] = x;
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  const bool time_first = attrs.time_axis == 0;
  const int64_t times = x[static_cast<size_t>(attrs.time_axis)];
  const int64_t* lengths = inputs[1].data<int64_t>();
  for (int64_t i = 0; i < inputs[1].size(); ++i) {
    if (lengths[i] < 0 || lengths[i] > times) {
      return InvalidArgument(Text() << "a sequence of " << lengths[i] << " elements in " << times);
    }
  }
  const int64_t item = Product(x, 2, x.size()) * static_cast<int64_t>(SizeOf(inputs[0].dtype));
  const char* from = inputs[0].data<char>();
  char* to = outputs[0].data<char>();
  ParallelFor(exec, x[0] * x[1], item / 8 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t time = time_first ? i / x[1] : i % x[1];
      const int64_t length = lengths[time_first ? i % x[1] : i / x[1]];
      const int64_t moved = time < length ? length - 1 - 2 * time : 0;  // by so many steps in time
      const int64_t source = i + moved * (time_first ? x[1] : 1);
      std::memcpy(to + i * item, from + source * item, static_cast<size_t>(item));
    }
  });
  return Status();
}

}  // namespace <%= ns %>
