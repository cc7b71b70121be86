<%= banner %>
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "device/runtime.h"

namespace <%= ns %> {

// Memory and semaphores of other APIs on a CUDA device, which callers have made their thread's. See
// device/runtime.h for what each call promises.
class CudaExternal {
 public:
  // What a call of CUDA's came to.
  using Check = Status (*)(const char* call, cudaError_t error);

  explicit CudaExternal(Check check) noexcept : check_(check) {}
  CudaExternal(const CudaExternal&) = delete;
  CudaExternal& operator=(const CudaExternal&) = delete;

  static bool CanImport(MemoryHandle kind) noexcept;
  static bool CanImport(SemaphoreHandle kind) noexcept;

  Status ImportMemory(MemoryHandle kind, void* handle, size_t bytes, void** address);
  void ReleaseMemory(void* address) noexcept;
  Status ImportSemaphore(SemaphoreHandle kind, void* handle, Semaphore* semaphore);
  void ReleaseSemaphore(Semaphore semaphore) noexcept;
  Status Wait(Semaphore semaphore, uint64_t value, cudaStream_t stream);
  Status Signal(Semaphore semaphore, uint64_t value, cudaStream_t stream);

 private:
  // CUDA does not look whether a semaphore is in use: per stream, the last use of it.
  using Uses = std::map<cudaStream_t, cudaEvent_t>;

  Status Map(cudaExternalMemory_t memory, size_t bytes, void** address);
  // The caller holds the mutex.
  Status Use(Semaphore semaphore, cudaStream_t stream);

  const Check check_;
  std::mutex mutex_;  // of both
  std::map<void*, cudaExternalMemory_t> memories_;  // by the address
  std::map<Semaphore, Uses> semaphores_;
};

}  // namespace <%= ns %>
