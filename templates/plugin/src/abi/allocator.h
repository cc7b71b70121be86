<%= banner %>
#pragma once

<% if arena %>
#include <memory>

<% endif %>
#include "abi/api.h"
<% if memories %>
#include "abi/logger.h"
<% if arena %>
#include "gen/memory/arena.h"
<% endif %>
<% if graph_capture %>
#include "gen/memory/capture_memory.h"
<% endif %>
#include "gen/memory/source.h"
<% else %>
#include "device/runtime.h"
#include "gen/api/status.h"
<% endif %>

namespace <%= ns %> {

<% if memories %>
// One kind of memory of one device, for ORT.
class Allocator final : public OrtAllocator {
 public:
  using Struct = OrtAllocator;

<% if arena %>
  // From `arena`; where that is null, each allocation from `source`.
  Allocator(const Api& api, const Logger& logger, MemorySource& source,
            std::shared_ptr<Arena> arena, const OrtMemoryInfo* info);
<% else %>
  Allocator(const Api& api, const Logger& logger, MemorySource& source, const OrtMemoryInfo* info);
<% endif %>

  const Api& api() const noexcept { return api_; }
<% if graph_capture %>
  // Where the memory of captured graphs comes from; outlives this. Set once, before it is used.
  void set_captures(CaptureMemories* captures) noexcept { captures_ = captures; }
<% endif %>

 private:
  // The callbacks.
  void* Allocate(size_t bytes);
<% if graph_capture and not arena %>
  void* AllocateFor(size_t bytes, OrtSyncStream* stream);
<% endif %>
<% if arena %>
<% if streams %>
  void* AllocateFor(size_t bytes, OrtSyncStream* stream);
<% endif %>
  void* AllocateOutside(size_t bytes);
<% endif %>
  void Deallocate(void* address);
  const OrtMemoryInfo* MemoryInfo() const { return info_; }
  Status Count(OrtKeyValuePairs** statistics) const;
<% if arena and target >= 25 %>
  Status GiveBack();
<% endif %>

<% if arena and streams %>
  void* Take(size_t bytes, Stream stream);
<% endif %>
<% if graph_capture %>
  bool TakeCaptured(size_t bytes, Stream stream, void** address);
  void FreeLater(void* address);
<% endif %>
  void Report(const Status& status) const;

  const Api& api_;
  const Logger& logger_;
  MemorySource& source_;
<% if arena %>
  const std::shared_ptr<Arena> arena_;  // others have it, too: the last to go takes it along
<% endif %>
  const OrtMemoryInfo* info_;  // the factory's
<% if graph_capture %>
  CaptureMemories* captures_ = nullptr;
<% endif %>
};
<% else %>
// The memory of one device, for ORT.
class Allocator final : public OrtAllocator {
 public:
  using Struct = OrtAllocator;

  Allocator(const Api& api, Runtime& runtime, const OrtMemoryInfo* info);

  const Api& api() const noexcept { return api_; }

 private:
  // The callbacks.
  void* Allocate(size_t bytes);
  void Deallocate(void* address);
  const OrtMemoryInfo* MemoryInfo() const { return info_; }
  Status Count(OrtKeyValuePairs** statistics) const;

  const Api& api_;
  Runtime& runtime_;
  const OrtMemoryInfo* info_;  // the factory's
};
<% endif %>

}  // namespace <%= ns %>
