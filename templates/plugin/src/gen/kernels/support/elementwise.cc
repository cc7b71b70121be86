<%= banner %>
#include "gen/kernels/support/elementwise.h"

namespace <%= ns %> {

Status SameShape(Inputs inputs, Shapes& shapes) {
  shapes[0] = inputs[0].shape;
  return Status();
}

Status RunMap(Operand x, const MutableTensor& y, int64_t cost, Loop loop,
              const void* function, Exec& exec) {
  const int64_t x_bytes = static_cast<int64_t>(SizeOf(x.dtype));
  const int64_t y_bytes = static_cast<int64_t>(SizeOf(y.dtype));
  ParallelFor(exec, y.size(), cost, [&](int64_t begin, int64_t end) {
    const void* in = static_cast<const char*>(x.raw) + begin * x_bytes;
    const int64_t step = 1;
    loop(function, &in, &step, y.data<char>() + begin * y_bytes, end - begin);
  });
  return Status();
}

}  // namespace <%= ns %>
