<%= banner %>
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "device/handle_pool.h"
#include "device/nvidia_library.h"
#include "gen/api/cuda_libraries.h"

namespace <%= ns %> {

// cuBLAS. See CudaLibraries.
class CudaBlas {
 public:
  CudaBlas();
  ~CudaBlas();

  bool IsThere() { return library_.IsThere(); }
  Status Multiply(const MatrixProduct* products, size_t count, Exec& exec);
  void Forget(void* stream);

 private:
  struct Functions;
  class Handle;

  Status Load();

  NvidiaLibrary library_;
  std::once_flag loading_;
  Status loaded_;
  std::unique_ptr<Functions> functions_;
  HandlePool<Handle> handles_;
};

}  // namespace <%= ns %>
