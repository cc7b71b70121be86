<%= banner %>
#pragma once

#include <memory>
#include <mutex>

#include "device/handle_pool.h"
#include "device/nvidia_library.h"
#include "gen/api/cuda_libraries.h"

namespace <%= ns %> {

// cuDNN. See CudaLibraries.
class CudaDnn {
 public:
  CudaDnn();
  ~CudaDnn();

  bool IsThere() { return library_.IsThere(); }
  Status Convolve(const Convolution& convolution, Exec& exec, bool* done);
  void Forget(void* stream);

 private:
  struct Functions;
  struct Plan;
  class Handle;

  Status Load();

  NvidiaLibrary library_;
  std::once_flag loading_;
  Status loaded_;
  std::unique_ptr<Functions> functions_;
  HandlePool<Handle> handles_;
};

}  // namespace <%= ns %>
