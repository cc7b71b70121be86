<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/exec.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/kernels/support/device.h"

// Kernels that compute each element by itself. Compiled by nvcc they launch on the stream of Exec,
// compiled for the host they run on its threads.
namespace <%= ns %> {

// The output has the shape of the first input. Out of line: copying a vector costs every kernel's
// compilation more than its own code does.
Status SameShape(Inputs inputs, Shapes& shapes);

#ifdef __CUDACC__

template <class Body>
__global__ void ForEachKernel(int64_t count, Body body) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    body.One(i);
  }
}

template <class Body>
Status ForEach(Exec& exec, int64_t count, int64_t, Body body) {
  if (count == 0) return Status();
  constexpr int64_t kThreads = 256;
  constexpr int64_t kMaxBlocks = 1 << 16;
  const int64_t blocks = (count + kThreads - 1) / kThreads;
  ForEachKernel<<<static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks),
                  static_cast<unsigned>(kThreads), 0, static_cast<cudaStream_t>(exec.Stream())>>>(
      count, body);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? Status() : Failed(cudaGetErrorString(error));
}

#else

// Computes every element in [0, count), in any order. A body has two members:
//   void One(int64_t i) const, EP_HOST_DEVICE, for element i: what a device thread runs;
//   void Some(int64_t begin, int64_t end) const for [begin, end): what a host thread runs.
// `cost`: see Exec::ParallelFor.
template <class Body>
Status ForEach(Exec& exec, int64_t count, int64_t cost, Body body) {
  exec.ParallelFor(
      count, cost,
      [](void* context, int64_t begin, int64_t end) {
        static_cast<const Body*>(context)->Some(begin, end);
      },
      &body);
  return Status();
}

#endif

template <class In, class Out, class Function>
struct MapBody {
  const In* x;
  Out* y;
  Function function;

  EP_HOST_DEVICE void One(int64_t i) const { y[i] = function(x[i]); }
  void Some(int64_t begin, int64_t end) const {
    for (int64_t i = begin; i < end; ++i) y[i] = function(x[i]);
  }
};

// y[i] = function(x[i])
template <class In, class Out, class Function>
Status Map(const Tensor& x, const MutableTensor& y, int64_t cost, Function function, Exec& exec) {
  return ForEach(exec, y.size(), cost,
                 MapBody<In, Out, Function>{x.data<In>(), y.data<Out>(), function});
}

}  // namespace <%= ns %>
