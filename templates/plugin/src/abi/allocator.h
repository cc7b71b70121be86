<%= banner %>
#pragma once

#include "abi/api.h"
#include "device/runtime.h"

namespace <%= ns %> {

// The memory of one device, for ORT.
class Allocator final : public OrtAllocator {
 public:
  using Struct = OrtAllocator;

  Allocator(const Api& api, Runtime& runtime, const OrtMemoryInfo* info);

 private:
  // The callbacks.
  void* Allocate(size_t bytes);
  void Deallocate(void* address);
  const OrtMemoryInfo* MemoryInfo() const { return info_; }

  Runtime& runtime_;
  const OrtMemoryInfo* info_;  // the factory's
};

}  // namespace <%= ns %>
