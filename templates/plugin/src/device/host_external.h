<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "device/runtime.h"

namespace <%= ns %> {

// For the simulated device, the memory of others is a file of shared memory, such as memfd_create
// and shm_open make; where there are no such files, nothing can be imported. A semaphore is a file,
// too: the first eight bytes are its value, in the machine's order. Whoever signals it writes them,
// in this process or in another one.
class SharedFile {
 public:
#if defined(_WIN32)
  static constexpr bool kIsThere = false;
#else
  static constexpr bool kIsThere = true;
#endif

  // `handle` is the number of a descriptor, of a file with at least so many bytes.
  Status Find(void* handle, size_t bytes);
  // Maps the first `bytes` of it: where `*address` is, or anywhere if that is null.
  Status Map(size_t bytes, void** address) const;

 private:
  Status Error(const char* what, int error) const;

  int descriptor_ = -1;
};

// The semaphores that were imported.
class HostSemaphores {
 public:
  HostSemaphores() = default;
  HostSemaphores(const HostSemaphores&) = delete;
  HostSemaphores& operator=(const HostSemaphores&) = delete;

  Status Import(void* handle, Semaphore* semaphore);
  // Work that is queued has its own part in it.
  void Release(Semaphore semaphore) noexcept;

  // Work that waits for a value, and work that sets it.
  Status Wait(Semaphore semaphore, uint64_t value, Work* work);
  Status Signal(Semaphore semaphore, uint64_t value, Work* work);

 private:
  class Timeline;
  Status Find(Semaphore semaphore, std::shared_ptr<Timeline>* timeline);

  std::mutex mutex_;
  std::map<Semaphore, std::shared_ptr<Timeline>> semaphores_;
};

}  // namespace <%= ns %>
