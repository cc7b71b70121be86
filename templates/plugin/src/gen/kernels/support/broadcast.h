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
struct Broadcast {
  static constexpr int kMaxRank = 8;
  static constexpr int kMaxOperands = 3;

  int rank = 1;
  int64_t dims[kMaxRank] = {1};
  int64_t strides[kMaxOperands][kMaxRank] = {};  // in elements; 0 where the operand is repeated

  // Where the operands' elements for output element `i` are; returns how many elements are left
  // in its row, the innermost dimension.
  EP_HOST_DEVICE int64_t Locate(int64_t i, int operands, int64_t* offsets) const {
    const int inner = rank - 1;
    const int64_t column = i % dims[inner];
    for (int k = 0; k < operands; ++k) offsets[k] = column * strides[k][inner];
    int64_t rest = i / dims[inner];
    for (int d = inner - 1; d >= 0; --d) {
      const int64_t index = rest % dims[d];
      rest /= dims[d];
      for (int k = 0; k < operands; ++k) offsets[k] += index * strides[k][d];
    }
    return dims[inner] - column;
  }
};

// The common shape of all inputs.
Status BroadcastShapes(const char* op, Inputs inputs, Shape& out);

// A tensor that takes part; an output does when a result is computed in steps.
struct Operand {
  Operand(const Tensor& tensor) : raw(tensor.raw), shape(&tensor.shape) {}         // NOLINT
  Operand(const MutableTensor& tensor) : raw(tensor.raw), shape(&tensor.shape) {}  // NOLINT

  const void* raw;
  const Shape* shape;
};

// How operands meet in `out`. An error when one does not fit into it, or when the shapes need more
// than kMaxRank dimensions even after joining.
Status MakeBroadcast(const char* op, const Shape& out, const Operand* operands, int count,
                     Broadcast& broadcast);

template <class A, class B, class Out, class Function>
struct ZipBody {
  const A* a;
  const B* b;
  Out* y;
  Function function;
  Broadcast broadcast;

  EP_HOST_DEVICE void One(int64_t i) const {
    int64_t at[2];
    broadcast.Locate(i, 2, at);
    y[i] = function(a[at[0]], b[at[1]]);
  }

  // Row by row.
  void Some(int64_t begin, int64_t end) const {
    const int64_t a_step = broadcast.strides[0][broadcast.rank - 1];
    const int64_t b_step = broadcast.strides[1][broadcast.rank - 1];
    for (int64_t i = begin; i < end;) {
      int64_t at[2];
      const int64_t left = broadcast.Locate(i, 2, at);
      const int64_t n = left < end - i ? left : end - i;
      const A* row_a = a + at[0];
      const B* row_b = b + at[1];
      if (a_step == 1 && b_step == 1) {
        for (int64_t j = 0; j < n; ++j) y[i + j] = function(row_a[j], row_b[j]);
      } else {
        for (int64_t j = 0; j < n; ++j) {
          y[i + j] = function(row_a[j * a_step], row_b[j * b_step]);
        }
      }
      i += n;
    }
  }
};

// y[i] = function(a[i], b[i]), a and b broadcast to the shape of y. An operand may be y itself.
template <class A, class B, class Out, class Function>
Status Zip(const char* op, Operand a, Operand b, const MutableTensor& y, int64_t cost,
           Function function, Exec& exec) {
  ZipBody<A, B, Out, Function> body{static_cast<const A*>(a.raw), static_cast<const B*>(b.raw),
                                    y.data<Out>(), function, Broadcast()};
  const Operand operands[] = {a, b};
  EP_RETURN_IF_ERROR(MakeBroadcast(op, y.shape, operands, 2, body.broadcast));
  return ForEach(exec, y.size(), cost, body);
}

}  // namespace <%= ns %>
