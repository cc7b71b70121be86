<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/exec.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/kernels/support/device.h"
#include "gen/kernels/support/launch.h"

// Kernels that compute each element by itself. Compiled by nvcc they launch on the stream of Exec,
// compiled for the host they run on its threads.
//
// On the host a kernel has one loop per element type; what is around the loop knows no types and
// is compiled once, in elementwise.cc and broadcast.cc.
namespace <%= ns %> {

// A tensor that is read. An output is too, when a result is computed in steps.
struct Operand {
  Operand(const Tensor& tensor)  // NOLINT: meant to convert
      : raw(tensor.raw), dtype(tensor.dtype), shape(&tensor.shape) {}
  Operand(const MutableTensor& tensor)  // NOLINT
      : raw(tensor.raw), dtype(tensor.dtype), shape(&tensor.shape) {}

  const void* raw;
  DType dtype;
  const Shape* shape;
};

// The output has the shape of the first input.
Status SameShape(Inputs inputs, Shapes& shapes);

// Computes `count` elements of `out` from as many of each input. An input moves on by its step, in
// elements: 1, or 0 where one element serves all. `function` is the caller's own.
using Loop = void (*)(const void* function, const void* const* in, const int64_t* steps, void* out,
                      int64_t count);

// Runs a loop with one input of the shape of y.
Status RunMap(Operand x, const MutableTensor& y, int64_t cost, Loop loop,
              const void* function, Exec& exec);

#ifdef EP_ON_DEVICE

template <class In, class Out, class Function>
struct MapBody {
  const In* x;
  Out* y;
  Function function;

  EP_DEVICE void operator()(int64_t i) const { y[i] = function(x[i]); }
};

// y[i] = function(x[i]). `cost`: see Exec::ParallelFor.
template <class In, class Out, class Function>
Status Map(Operand x, const MutableTensor& y, int64_t, Function function, Exec& exec) {
  return Launch(exec, y.size(), MapBody<In, Out, Function>{static_cast<const In*>(x.raw), y.data<Out>(), function});
}

#else

template <class In, class Out, class Function>
void MapLoop(const void* function, const void* const* in, const int64_t*, void* out,
             int64_t count) {
  const Function f = *static_cast<const Function*>(function);
  const In* x = static_cast<const In*>(in[0]);
  Out* y = static_cast<Out*>(out);
  for (int64_t i = 0; i < count; ++i) y[i] = f(x[i]);
}

// y[i] = function(x[i]). `cost`: see Exec::ParallelFor.
template <class In, class Out, class Function>
Status Map(Operand x, const MutableTensor& y, int64_t cost, Function function, Exec& exec) {
  return RunMap(x, y, cost, &MapLoop<In, Out, Function>, &function, exec);
}

#endif

}  // namespace <%= ns %>
