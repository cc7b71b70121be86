// What the made-up CUDA runtime has of other APIs.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

struct FakeExternal {
  std::vector<cudaExternalMemoryHandleDesc> memories;        // as they were imported
  std::vector<cudaExternalSemaphoreHandleDesc> semaphores;
  std::vector<cudaExternalMemoryBufferDesc> buffers;
  int alive = 0;             // of both
  uint64_t value = 0;        // of every semaphore
  bool is_early = false;     // a stream came to a wait whose value is not there
  int used_after_end = 0;    // waits and signals of semaphores that are gone
};

FakeExternal& External();
