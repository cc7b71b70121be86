<%= banner %>
#include "abi/allocator.h"

#include "abi/guard.h"

namespace <%= ns %> {

Allocator::Allocator(const Api& api, Runtime& runtime, const OrtMemoryInfo* info)
    : OrtAllocator(Stamped<OrtAllocator>(api)), runtime_(runtime), info_(info) {
  Alloc = Callback<&Allocator::Allocate>::Call;
  Reserve = Callback<&Allocator::Allocate>::Call;
  Free = Callback<&Allocator::Deallocate>::Call;
  Info = Callback<&Allocator::MemoryInfo>::Call;
}

// Null for nothing as well as for failure: the slot has no other way to say so.
void* Allocator::Allocate(size_t bytes) {
  void* address = nullptr;
  if (bytes == 0 || !runtime_.Allocate(bytes, &address).ok()) return nullptr;
  return address;
}

void Allocator::Deallocate(void* address) { runtime_.Free(address); }

}  // namespace <%= ns %>
