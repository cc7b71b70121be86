<%= banner %>
#pragma once

#include <cstddef>

#include "abi/api.h"
#include "device/runtime.h"
#include "gen/memory/stream_order.h"

namespace <%= ns %> {

// Memory of another API that is the device's, too. It may outlive the importer.
class ImportedMemory final : public OrtExternalMemoryHandle {
 public:
  using Struct = OrtExternalMemoryHandle;

  // `address` is that of all the memory; from here on it is this object's.
  ImportedMemory(const Api& api, Runtime& runtime, StreamOrder& order, const OrtEpDevice* device,
                 const OrtExternalMemoryDescriptor& from, void* address);
  ImportedMemory(const ImportedMemory&) = delete;
  ImportedMemory& operator=(const ImportedMemory&) = delete;
  // Waits for all that is queued by now.
  ~ImportedMemory();

  // The part that the descriptor speaks of.
  char* begin() const noexcept { return static_cast<char*>(address_) + descriptor.offset_bytes; }
  size_t size() const noexcept { return descriptor.size_bytes - descriptor.offset_bytes; }

 private:
  Runtime& runtime_;
  StreamOrder& order_;
  void* const address_;
};

// A semaphore of another API that queues of the device wait for and signal.
class ImportedSemaphore final : public OrtExternalSemaphoreHandle {
 public:
  using Struct = OrtExternalSemaphoreHandle;

  ImportedSemaphore(const Api& api, Runtime& runtime, const OrtEpDevice* device,
                    const OrtExternalSemaphoreDescriptor& from, Semaphore semaphore);
  ImportedSemaphore(const ImportedSemaphore&) = delete;
  ImportedSemaphore& operator=(const ImportedSemaphore&) = delete;
  ~ImportedSemaphore() { runtime_.ReleaseSemaphore(semaphore_); }

  Semaphore get() const noexcept { return semaphore_; }

 private:
  Runtime& runtime_;
  const Semaphore semaphore_;
};

// What applications import memory and semaphores with.
class ResourceImporter final : public OrtExternalResourceImporterImpl {
 public:
  using Struct = OrtExternalResourceImporterImpl;

  // `memory` is that of the device; tensors lie in it.
  ResourceImporter(const Api& api, Runtime& runtime, StreamOrder& order,
                   const OrtEpDevice* device, const OrtMemoryInfo* memory);

  const Api& api() const noexcept { return api_; }

 private:
  // The callbacks.
  bool TakesMemory(OrtExternalMemoryHandleType kind) const;
  Status TakeMemory(const OrtExternalMemoryDescriptor* from, OrtExternalMemoryHandle** handle);
  void DropMemory(OrtExternalMemoryHandle* handle);
  Status MakeTensor(const OrtExternalMemoryHandle* handle, const OrtExternalTensorDescriptor* what,
                    OrtValue** tensor);
  bool TakesSemaphore(OrtExternalSemaphoreType kind) const;
  Status TakeSemaphore(const OrtExternalSemaphoreDescriptor* from,
                       OrtExternalSemaphoreHandle** handle);
  void DropSemaphore(OrtExternalSemaphoreHandle* handle);
  Status Wait(OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream, uint64_t value);
  Status Signal(OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream, uint64_t value);

  // Both are ours, and of this device.
  Status FindSemaphore(const char* call, const OrtExternalSemaphoreHandle* handle,
                       OrtSyncStream* stream, Semaphore* semaphore, Stream* queue) const;

  const Api& api_;
  Runtime& runtime_;
  StreamOrder& order_;
  const OrtEpDevice* const device_;
  const OrtMemoryInfo* const memory_;
};

}  // namespace <%= ns %>
