<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/exec.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/kernels/support/device.h"

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

#ifdef __CUDACC__

template <class Body>
__global__ void ForEachKernel(int64_t count, Body body) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) body(i);
}

// Calls body(i) on the device for every i in [0, count). Without a stream it would be on the default
// one, which does not wait for whoever makes the inputs.
template <class Body>
Status Launch(Exec& exec, int64_t count, Body body) {
  if (count == 0) return Status();
  if (exec.Stream() == nullptr) return Failed("there is no CUDA stream to launch a kernel on");
  constexpr int64_t kThreads = 256;
  constexpr int64_t kMaxBlocks = 1 << 16;
  const int64_t blocks = (count + kThreads - 1) / kThreads;
  ForEachKernel<<<static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks),
                  static_cast<unsigned>(kThreads), 0, static_cast<cudaStream_t>(exec.Stream())>>>(
      count, body);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? Status() : Failed(cudaGetErrorString(error));
}

template <class In, class Out, class Function>
struct MapBody {
  const In* x;
  Out* y;
  Function function;

  __device__ void operator()(int64_t i) const { y[i] = function(x[i]); }
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
