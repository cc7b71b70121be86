<%= banner %>
#pragma once

#include "gen/kernels/support/device.h"

#ifdef EP_ON_DEVICE

#include <cstdint>
#ifdef __CUDACC__
#include <cstdio>
#endif

#include "gen/api/exec.h"
#include "gen/api/status.h"

namespace <%= ns %> {

#ifdef __CUDACC__

// What the launch of a kernel came to.
inline Status LaunchStatus() {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return Status();
  char text[256];
  std::snprintf(text, sizeof(text), "the launch of a kernel: %s (%s)", cudaGetErrorString(error),
                cudaGetErrorName(error));
  return Failed(static_cast<const char*>(text));
}

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
  return LaunchStatus();
}

#else

// Backwards, so that an order that a kernel relies on is found out.
template <class Body>
Status Launch(Exec&, int64_t count, Body body) {
  for (int64_t i = count - 1; i >= 0; --i) body(i);
  return Status();
}

#endif

}  // namespace <%= ns %>

#endif
