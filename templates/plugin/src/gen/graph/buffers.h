<%= banner %>
#pragma once

#include <cstddef>
#include <new>
#include <string>

<% if device_memory %>
#include "device/runtime.h"
<% endif %>
#include "gen/api/status.h"

namespace <%= ns %> {

// Memory on the host that grows when more is asked for; what was in it is lost then. Even of no
// bytes it has an address.
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() { ::operator delete(memory_, kAlignment); }

  Status Reserve(size_t bytes) {
    if (memory_ != nullptr && bytes <= size_) return Status();
    ::operator delete(memory_, kAlignment);
    memory_ = ::operator new(bytes != 0 ? bytes : 1, kAlignment, std::nothrow);
    size_ = memory_ != nullptr ? bytes : 0;
    if (memory_ != nullptr) return Status();
    return Failed("out of memory: there are no " + std::to_string(bytes) + " bytes");
  }

  void* get() const noexcept { return memory_; }

 private:
  static constexpr std::align_val_t kAlignment{64};

  void* memory_ = nullptr;
  size_t size_ = 0;
};
<% if device_memory %>

// The same on the device.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { Release(); }

  Status Reserve(Runtime& runtime, size_t bytes) {
    if (address_ != nullptr && bytes <= size_) return Status();
    Release();
    runtime_ = &runtime;
    EP_RETURN_IF_ERROR(runtime.Allocate(bytes != 0 ? bytes : 1, &address_));
    size_ = bytes;
    return Status();
  }

  void* get() const noexcept { return address_; }

 private:
  void Release() noexcept {
    if (address_ != nullptr) runtime_->Free(address_);
    address_ = nullptr;
  }

  Runtime* runtime_ = nullptr;
  void* address_ = nullptr;
  size_t size_ = 0;
};
<% endif %>

}  // namespace <%= ns %>
