<%= banner %>
#pragma once

#include <cstddef>

#include "device/runtime.h"

namespace <%= ns %> {

// Where allocators and arenas get one kind of memory.
class MemorySource {
 public:
  MemorySource& operator=(MemorySource&&) = delete;  // and so no copies
  virtual ~MemorySource() = default;

  // `bytes` is not 0.
  virtual Status Allocate(size_t bytes, void** address) = 0;
  // Takes null, too.
  virtual void Free(void* address) noexcept = 0;
<% if graph_capture %>
  // May the host write to it?
  virtual bool is_for_host() const noexcept { return false; }
<% endif %>
};

// The device's own memory.
class DeviceSource final : public MemorySource {
 public:
  explicit DeviceSource(Runtime& runtime) noexcept : runtime_(runtime) {}
  Status Allocate(size_t bytes, void** address) override {
    return runtime_.Allocate(bytes, address);
  }
  void Free(void* address) noexcept override { runtime_.Free(address); }

 private:
  Runtime& runtime_;
};
<% if host_accessible %>

// The host's memory that the device reaches, too.
class HostSource final : public MemorySource {
 public:
  explicit HostSource(Runtime& runtime) noexcept : runtime_(runtime) {}
  Status Allocate(size_t bytes, void** address) override {
    return runtime_.AllocateHost(bytes, address);
  }
  void Free(void* address) noexcept override { runtime_.FreeHost(address); }
<% if graph_capture %>
  bool is_for_host() const noexcept override { return true; }
<% endif %>

 private:
  Runtime& runtime_;
};
<% endif %>

}  // namespace <%= ns %>
