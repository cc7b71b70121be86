#include "fake_cuda_external.h"

#include <unistd.h>

#include <cstdlib>
#include <set>

#include "fake_cuda.h"

struct CUexternalMemory_st {
  int descriptor;
};
struct CUexternalSemaphore_st {
  int descriptor;
};

namespace {

FakeExternal external;
std::set<cudaExternalSemaphore_t> semaphores;

void Use(cudaExternalSemaphore_t semaphore) {
  if (semaphores.count(semaphore) == 0) ++external.used_after_end;
}

}  // namespace

FakeExternal& External() { return external; }

extern "C" {

// As CUDA does: takes the descriptor over, if it succeeds.
cudaError_t cudaImportExternalMemory(cudaExternalMemory_t* made,
                                     const cudaExternalMemoryHandleDesc* from) {
  if (const cudaError_t error = NoteCall("cudaImportExternalMemory")) return error;
  external.memories.push_back(*from);
  ++external.alive;
  *made = new CUexternalMemory_st{from->handle.fd};
  return cudaSuccess;
}
cudaError_t cudaExternalMemoryGetMappedBuffer(void** address, cudaExternalMemory_t,
                                              const cudaExternalMemoryBufferDesc* buffer) {
  if (const cudaError_t error = NoteCall("cudaExternalMemoryGetMappedBuffer")) return error;
  external.buffers.push_back(*buffer);
  *address = std::malloc(buffer->size);
  Fake().memory[*address] = buffer->size;
  return cudaSuccess;
}
cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t memory) {
  --external.alive;
  close(memory->descriptor);
  delete memory;
  return NoteCall("cudaDestroyExternalMemory");
}
cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t* made,
                                        const cudaExternalSemaphoreHandleDesc* from) {
  if (const cudaError_t error = NoteCall("cudaImportExternalSemaphore")) return error;
  external.semaphores.push_back(*from);
  ++external.alive;
  *made = new CUexternalSemaphore_st{from->handle.fd};
  semaphores.insert(*made);
  return cudaSuccess;
}
cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t semaphore) {
  --external.alive;
  close(semaphore->descriptor);
  semaphores.erase(semaphore);
  delete semaphore;
  return NoteCall("cudaDestroyExternalSemaphore");
}
cudaError_t cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t* semaphore,
                                            const cudaExternalSemaphoreWaitParams* params,
                                            unsigned int, cudaStream_t stream) {
  const uint64_t value = params->params.fence.value;
  return PutCall("cudaWaitExternalSemaphoresAsync", stream, [=, handle = *semaphore] {
    Use(handle);
    external.is_early = external.is_early || external.value < value;
  });
}
cudaError_t cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t* semaphore,
                                              const cudaExternalSemaphoreSignalParams* params,
                                              unsigned int, cudaStream_t stream) {
  const uint64_t value = params->params.fence.value;
  return PutCall("cudaSignalExternalSemaphoresAsync", stream, [=, handle = *semaphore] {
    Use(handle);
    external.value = value;
  });
}

}  // extern "C"
