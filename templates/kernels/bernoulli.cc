<% from "kernels/parts.inc" import cases, read %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/copy.h"
#include "gen/kernels/support/errors.h"
#include "gen/kernels/support/numbers.h"
#include "gen/kernels/support/random.h"

namespace <%= ns %> {
namespace {

// Puts ones where a number drawn from 0 to 1 is below the element of x; the rest is zero already.
template <class T>
Status Draw(const <%= k.attrs %>& attrs, const Tensor& x, const MutableTensor& y, Exec& exec) {
  const Random random(attrs.seed, attrs.has_seed);
  const size_t bytes = SizeOf(y.dtype);
  unsigned char one[sizeof(uint64_t)];
  WriteOne(y.dtype, one);
  const T* chance = x.data<T>();
  char* to = y.data<char>();
  ParallelFor(exec, x.size(), 32, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (!(random.Uniform(i) < static_cast<double>(chance[i]))) continue;
      std::memcpy(to + i * static_cast<int64_t>(bytes), one, bytes);
    }
  });
  return Status();
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  shapes[0] = inputs[0].shape;
  return Status();
}

// With a `seed` the results are the same at every call; they are not those of other libraries.
Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const uint64_t zero = 0;
  EP_RETURN_IF_ERROR(FillElements(exec, outputs[0].raw, outputs[0].size(), &zero, SizeOf(outputs[0].dtype)));
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Draw", "attrs, inputs[0], outputs[0], exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
