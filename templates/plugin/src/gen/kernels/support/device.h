<%= banner %>
#pragma once

// Code of the device: what nvcc compiles, or, where there is no device to try it on, what stands in
// for it on the host, one element after another.
#if defined(__CUDACC__) || defined(EP_EMULATE_DEVICE)
#define EP_ON_DEVICE 1
#endif

// Marks code that is compiled for the host and, by nvcc, for the device as well.
#ifdef __CUDACC__
#define EP_DEVICE __device__
#define EP_HOST_DEVICE __host__ __device__
#else
#define EP_DEVICE
#define EP_HOST_DEVICE
#endif
