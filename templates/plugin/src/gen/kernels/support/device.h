<%= banner %>
#pragma once

// Marks code that is compiled for the host and, by nvcc, for the device as well.
#ifdef __CUDACC__
#define EP_HOST_DEVICE __host__ __device__
#else
#define EP_HOST_DEVICE
#endif
