<%= banner %>
#pragma once

#include <cstddef>
#include <memory>

#include "gen/api/status.h"

namespace <%= ns %> {

// The device's memory. Addresses are the device's: ORT keeps them, offsets them and hands them
// back, but must never follow one. Every call may come from several threads at once; a copy has
// been made when its call returns.
class Runtime {
 public:
  Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  // `bytes` is not 0. The address is fit for any element type, and for a vector of them.
  virtual Status Allocate(size_t bytes, void** address) = 0;
  // Takes null, too.
  virtual void Free(void* address) noexcept = 0;

<% if host_accessible %>
  // Memory that host code may touch and that the device reaches, too: pinned, on most devices. All
  // calls below take it for the device's.
  virtual Status AllocateHost(size_t bytes, void** address) = 0;
  virtual void FreeHost(void* address) noexcept = 0;

<% endif %>
  // `bytes` is not 0; `device`, `from` and `to` may lie within an allocation.
  virtual Status CopyToDevice(void* device, const void* host, size_t bytes) = 0;
  virtual Status CopyToHost(void* host, const void* device, size_t bytes) = 0;
  virtual Status CopyOnDevice(void* to, const void* from, size_t bytes) = 0;

  // What kernel code uses for a device address: the same address where kernels run on the device.
  // Null when the address is not the device's.
  virtual void* KernelAddress(const void* device) const noexcept = 0;
};

// Opens the device.
Status MakeRuntime(std::unique_ptr<Runtime>* runtime);

}  // namespace <%= ns %>
