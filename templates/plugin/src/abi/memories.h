<%= banner %>
#pragma once

#include <memory>
<% if arena %>
#include <mutex>
<% endif %>
#include <vector>

#include "abi/allocator.h"
#include "abi/api.h"
#include "abi/handles.h"
#include "abi/logger.h"
#include "gen/devices.h"
<% if graph_capture %>
#include "gen/memory/capture_memory.h"
<% endif %>
<% if streams %>
#include "gen/memory/stream_order.h"
<% endif %>

namespace <%= ns %> {

// One kind of memory of one device.
struct Memory {
  Memory(MemoryInfo made, MemorySource& from, bool in_arena)
      : info(std::move(made)), source(&from), is_arena(in_arena) {}

  MemoryInfo info;  // devices and allocators point to it
  MemorySource* source;
  bool is_arena;
<% if arena %>
  std::weak_ptr<Arena> arena;  // the newest one, for as long as an allocator has it
<% endif %>
};

// All memory of a device: its own first.
struct DeviceMemories {
  const OrtHardwareDevice* hardware;
  std::vector<Memory> kinds;
};

// The memory of all devices of a factory.
class Memories {
 public:
  // The arguments outlive this.
  Memories(const Api& api, const Logger& logger, Runtime& runtime);

  size_t device_count() const noexcept { return devices_.size(); }
  // Tells ORT which memory `device`, the one of that number, has.
  Status Describe(const DeviceRule& rule, const OrtHardwareDevice* hardware, size_t number,
                  OrtEpDevice* device, std::vector<DeviceMemories>* described);
  // Takes over what has been described, once ORT has the devices.
  void Keep(std::vector<DeviceMemories> described);

  // The memory info of a device of ours; null when `device` is not ours.
  const OrtMemoryInfo* Find(const OrtMemoryDevice* device) const;
  // Where the tensors of a device live; null when the hardware is not ours.
  const OrtMemoryDevice* DefaultOf(const OrtHardwareDevice* hardware) const;

<% if streams %>
  // Of the queues of all devices.
  StreamOrder& order() noexcept { return order_; }

<% endif %>
<% if graph_capture %>
  // Of captured graphs.
  CaptureMemories& captures() noexcept { return captures_; }

<% endif %>
  // Arena options, such as "arena.max_mem", make an arena of their own, which allocators that are
  // asked for without options have from then on, too.
  Status MakeAllocator(const OrtMemoryInfo* info, const OrtKeyValuePairs* options,
                       OrtAllocator** allocator);

 private:
  Status AddKind(const DeviceRule& rule, size_t number, OrtDeviceMemoryType kind,
                 OrtAllocatorType type, OrtEpDevice* device, DeviceMemories* memories);
  Memory* FindExactly(const OrtMemoryDevice* device, OrtAllocatorType type);
<% if arena %>
  Status FindArena(const OrtKeyValuePairs* options, Memory* memory, std::shared_ptr<Arena>* arena);
<% endif %>

  const Api& api_;
  const Logger& logger_;
  DeviceSource device_source_;
<% if host_accessible %>
  HostSource host_source_;
<% endif %>
<% if streams %>
  StreamOrder order_;
<% endif %>
<% if graph_capture %>
  CaptureMemories captures_;
<% endif %>
  std::vector<DeviceMemories> devices_;
<% if arena %>
  std::mutex mutex_;  // of which arena is the newest
<% endif %>
};

}  // namespace <%= ns %>
