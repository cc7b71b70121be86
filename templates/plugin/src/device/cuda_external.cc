<%= banner %>
#include "device/cuda_external.h"

#include <utility>

#if !defined(_WIN32)
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <string>
#include <system_error>
#endif

namespace <%= ns %> {
namespace {

void Forget(cudaError_t error) noexcept {
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
}

#if defined(_WIN32)

// CUDA leaves a HANDLE to its owner.
class Imported {
 public:
  Status Take(void* handle) {
    handle_ = handle;
    return Status();
  }
  template <class Description>
  void Describe(Description* description) const {
    description->handle.win32.handle = handle_;
  }
  void Release() noexcept {}

 private:
  void* handle_ = nullptr;
};

#else

// CUDA takes a descriptor over once it has imported it, and the caller's is the caller's: this is a
// duplicate, which is closed unless CUDA has it.
class Imported {
 public:
  Imported() = default;
  Imported(const Imported&) = delete;
  Imported& operator=(const Imported&) = delete;
  ~Imported() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  Status Take(void* handle) {
    const auto number = reinterpret_cast<intptr_t>(handle);
    const std::string what = "importing file descriptor " + std::to_string(number);
    if (number < 0 || number > INT_MAX) return InvalidArgument(what + ": there is no such number");
    descriptor_ = fcntl(static_cast<int>(number), F_DUPFD_CLOEXEC, 0);
    if (descriptor_ >= 0) return Status();
    return InvalidArgument(what + ": " + std::generic_category().message(errno));
  }
  template <class Description>
  void Describe(Description* description) const {
    description->handle.fd = descriptor_;
  }
  void Release() noexcept { descriptor_ = -1; }

 private:
  int descriptor_ = -1;
};

#endif

}  // namespace

#if defined(_WIN32)

bool CudaExternal::CanImport(MemoryHandle kind) noexcept { return kind != MemoryHandle::kVulkanFd; }
bool CudaExternal::CanImport(SemaphoreHandle kind) noexcept {
  return kind != SemaphoreHandle::kVulkanFd;
}

#else

bool CudaExternal::CanImport(MemoryHandle kind) noexcept { return kind == MemoryHandle::kVulkanFd; }
bool CudaExternal::CanImport(SemaphoreHandle kind) noexcept {
  return kind == SemaphoreHandle::kVulkanFd;
}

#endif

Status CudaExternal::ImportMemory(MemoryHandle kind, void* handle, size_t bytes, void** address) {
  cudaExternalMemoryHandleDesc description{};
  description.size = bytes;
  switch (kind) {
    case MemoryHandle::kD3d12Resource:
      description.type = cudaExternalMemoryHandleTypeD3D12Resource;
      description.flags = cudaExternalMemoryDedicated;
      break;
    case MemoryHandle::kD3d12Heap: description.type = cudaExternalMemoryHandleTypeD3D12Heap; break;
    case MemoryHandle::kVulkanWin32:
      description.type = cudaExternalMemoryHandleTypeOpaqueWin32;
      break;
    case MemoryHandle::kVulkanFd: description.type = cudaExternalMemoryHandleTypeOpaqueFd; break;
  }
  if (!CanImport(kind)) return NotImplemented("CUDA imports no such memory on this platform");
  Imported imported;
  EP_RETURN_IF_ERROR(imported.Take(handle));
  imported.Describe(&description);
  cudaExternalMemory_t memory = nullptr;
  EP_RETURN_IF_ERROR(
      check_("cudaImportExternalMemory", cudaImportExternalMemory(&memory, &description)));
  imported.Release();
  const Status mapped = Map(memory, bytes, address);
  if (!mapped.ok()) Forget(cudaDestroyExternalMemory(memory));
  return mapped;
}

Status CudaExternal::Map(cudaExternalMemory_t memory, size_t bytes, void** address) {
  cudaExternalMemoryBufferDesc all{};
  all.size = bytes;
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<void*, cudaExternalMemory_t> made{{nullptr, memory}};
  auto entry = made.extract(made.begin());
  void* mapped = nullptr;
  EP_RETURN_IF_ERROR(check_("cudaExternalMemoryGetMappedBuffer",
                            cudaExternalMemoryGetMappedBuffer(&mapped, memory, &all)));
  entry.key() = mapped;
  memories_.insert(std::move(entry));
  *address = mapped;
  return Status();
}

void CudaExternal::ReleaseMemory(void* address) noexcept {
  cudaExternalMemory_t memory = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = memories_.find(address);
    if (found == memories_.end()) return;
    memory = found->second;
    memories_.erase(found);
  }
  Forget(cudaFree(address));  // waits for the device, as it is made
  Forget(cudaDestroyExternalMemory(memory));
}

Status CudaExternal::ImportSemaphore(SemaphoreHandle kind, void* handle, Semaphore* semaphore) {
  cudaExternalSemaphoreHandleDesc description{};
  switch (kind) {
    case SemaphoreHandle::kD3d12Fence:
      description.type = cudaExternalSemaphoreHandleTypeD3D12Fence;
      break;
    case SemaphoreHandle::kVulkanWin32:
      description.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32;
      break;
    case SemaphoreHandle::kVulkanFd:
      description.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
      break;
  }
  if (!CanImport(kind)) return NotImplemented("CUDA imports no such semaphores on this platform");
  Imported imported;
  EP_RETURN_IF_ERROR(imported.Take(handle));
  imported.Describe(&description);
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<Semaphore, Uses> fresh{{nullptr, Uses()}};
  auto entry = fresh.extract(fresh.begin());
  cudaExternalSemaphore_t made = nullptr;
  EP_RETURN_IF_ERROR(
      check_("cudaImportExternalSemaphore", cudaImportExternalSemaphore(&made, &description)));
  imported.Release();
  entry.key() = made;
  semaphores_.insert(std::move(entry));
  *semaphore = made;
  return Status();
}

void CudaExternal::ReleaseSemaphore(Semaphore semaphore) noexcept {
  Uses uses;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = semaphores_.find(semaphore);
    if (found == semaphores_.end()) return;
    uses.swap(found->second);
    semaphores_.erase(found);
  }
  for (const auto& [stream, event] : uses) {
    Forget(cudaEventSynchronize(event));
    Forget(cudaEventDestroy(event));
  }
  Forget(cudaDestroyExternalSemaphore(static_cast<cudaExternalSemaphore_t>(semaphore)));
}

Status CudaExternal::Use(Semaphore semaphore, cudaStream_t stream) {
  cudaEvent_t& event = semaphores_[semaphore][stream];
  if (event == nullptr) {
    EP_RETURN_IF_ERROR(check_("cudaEventCreateWithFlags",
                              cudaEventCreateWithFlags(&event, cudaEventDisableTiming)));
  }
  return check_("cudaEventRecord", cudaEventRecord(event, stream));
}

Status CudaExternal::Wait(Semaphore semaphore, uint64_t value, cudaStream_t stream) {
  cudaExternalSemaphoreWaitParams wait{};
  wait.params.fence.value = value;
  const auto awaited = static_cast<cudaExternalSemaphore_t>(semaphore);
  const std::lock_guard<std::mutex> lock(mutex_);
  EP_RETURN_IF_ERROR(check_("cudaWaitExternalSemaphoresAsync",
                            cudaWaitExternalSemaphoresAsync(&awaited, &wait, 1, stream)));
  return Use(semaphore, stream);
}

Status CudaExternal::Signal(Semaphore semaphore, uint64_t value, cudaStream_t stream) {
  cudaExternalSemaphoreSignalParams signal{};
  signal.params.fence.value = value;
  const auto signalled = static_cast<cudaExternalSemaphore_t>(semaphore);
  const std::lock_guard<std::mutex> lock(mutex_);
  EP_RETURN_IF_ERROR(check_("cudaSignalExternalSemaphoresAsync",
                            cudaSignalExternalSemaphoresAsync(&signalled, &signal, 1, stream)));
  return Use(semaphore, stream);
}

}  // namespace <%= ns %>
