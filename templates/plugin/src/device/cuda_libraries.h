<%= banner %>
#pragma once

#include <memory>

#include "gen/api/cuda_libraries.h"

namespace <%= ns %> {

// cuBLAS and cuDNN, each opened when a kernel first asks for it. They are looked for in the folders
// that the environment variable <%= macro %>_CUDA_LIBRARIES lists - folders of libraries, or
// those of Python packages, where NVIDIA's wheels are - and then where the system looks.
std::unique_ptr<CudaLibraries> MakeCudaLibraries();

}  // namespace <%= ns %>
