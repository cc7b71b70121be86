<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/exec.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/kernels/support/device.h"
#include "gen/kernels/support/elementwise.h"

// Operands of different shapes that meet in one output, as NumPy and ONNX define it.
namespace <%= ns %> {

// The dimensions of the output, joined where all operands allow it: most broadcasts come down to
// one or two. Arrays of fixed size, so that device code takes it by value.
template <int operands>
struct BroadcastOf {
  static constexpr int kMaxRank = 8;
  static constexpr int kMaxOperands = operands;

  int rank = 1;
  int64_t dims[kMaxRank] = {1};
  int64_t strides[kMaxOperands][kMaxRank] = {};  // in elements; 0 where the operand is repeated

  // Where the operands' elements for output element `i` are. Returns how many elements are left
  // in its row, the innermost dimension.
  EP_HOST_DEVICE int64_t Locate(int64_t i, int count, int64_t* offsets) const {
    for (int k = 0; k < count; ++k) offsets[k] = 0;
    const int64_t left = dims[rank - 1] - i % dims[rank - 1];
    for (int d = rank - 1; d >= 0; --d) {
      for (int k = 0; k < count; ++k) offsets[k] += i % dims[d] * strides[k][d];
      i /= dims[d];
    }
    return left;
  }
};

// Small: it is filled at every call of a kernel.
using Broadcast = BroadcastOf<3>;

// The output has the shape that all inputs are broadcast to.
Status BroadcastShapes(Inputs inputs, Shapes& shapes);

// How operands meet in `out`. An error when one does not fit into it, or when the shapes need more
// than kMaxRank dimensions even after joining.
template <int most>
Status MakeBroadcast(const char* op, const Shape& out, const Operand* operands, int count,
                     BroadcastOf<most>& broadcast);

// Runs a loop over the rows of y, with as many operands broadcast to its shape.
Status RunRows(const char* op, const Operand* operands, int count, const MutableTensor& y,
               int64_t cost, Loop loop, const void* function, Exec& exec);

#ifdef EP_ON_DEVICE

template <class A, class B, class Out, class Function>
struct ZipBody {
  const A* a;
  const B* b;
  Out* y;
  Function function;
  Broadcast broadcast;

  EP_DEVICE void operator()(int64_t i) const {
    int64_t at[2];
    broadcast.Locate(i, 2, at);
    y[i] = function(a[at[0]], b[at[1]]);
  }
};

// y = function(a, b), both broadcast to the shape of y. An operand may be y itself.
template <class A, class B, class Out, class Function>
Status Zip(const char* op, Operand a, Operand b, const MutableTensor& y, int64_t,
           Function function, Exec& exec) {
  ZipBody<A, B, Out, Function> body{static_cast<const A*>(a.raw), static_cast<const B*>(b.raw),
                                    y.data<Out>(), function, Broadcast()};
  const Operand operands[] = {a, b};
  EP_RETURN_IF_ERROR(MakeBroadcast(op, y.shape, operands, 2, body.broadcast));
  return Launch(exec, y.size(), body);
}

#else

template <class A, class B, class Out, class Function>
void ZipLoop(const void* function, const void* const* in, const int64_t* steps, void* out,
             int64_t count) {
  const Function f = *static_cast<const Function*>(function);
  const A* a = static_cast<const A*>(in[0]);
  const B* b = static_cast<const B*>(in[1]);
  Out* y = static_cast<Out*>(out);
  if (steps[0] == 1 && steps[1] == 1) {
    for (int64_t i = 0; i < count; ++i) y[i] = f(a[i], b[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) y[i] = f(a[i * steps[0]], b[i * steps[1]]);
  }
}

// y = function(a, b), both broadcast to the shape of y. An operand may be y itself.
template <class A, class B, class Out, class Function>
Status Zip(const char* op, Operand a, Operand b, const MutableTensor& y, int64_t cost,
           Function function, Exec& exec) {
  const Operand operands[] = {a, b};
  return RunRows(op, operands, 2, y, cost, &ZipLoop<A, B, Out, Function>, &function, exec);
}

#endif

}  // namespace <%= ns %>
