<%= banner %>
#include "abi/memories.h"

#include <string>
#include <utility>

#include "abi/bridge.h"

namespace <%= ns %> {
namespace {

// Newer runtimes add entries of their own, which are nothing to us.
bool IsArenaOption(const std::string& key) { return key.rfind("arena.", 0) == 0; }

Status NoArena(const std::string& key) {
  return InvalidArgument("CreateAllocator: '" + key + "': this memory does not come from an arena");
}

}  // namespace

Memories::Memories(const Api& api, const Logger& logger, Runtime& runtime)
    : api_(api),
      logger_(logger),
<% if host_accessible %>
      device_source_(runtime),
<% if streams %>
      host_source_(runtime),
      order_(runtime) {}
<% else %>
      host_source_(runtime) {}
<% endif %>
<% elif streams %>
      device_source_(runtime),
      order_(runtime) {}
<% else %>
      device_source_(runtime) {}
<% endif %>

Status Memories::Describe(const DeviceRule& rule, const OrtHardwareDevice* hardware, size_t number,
                          OrtEpDevice* device, std::vector<DeviceMemories>* described) {
  DeviceMemories memories{hardware, {}};
  EP_RETURN_IF_ERROR(AddKind(rule, number, OrtDeviceMemoryType_DEFAULT, OrtDeviceAllocator, device,
                             &memories));
<% if host_accessible %>
  EP_RETURN_IF_ERROR(AddKind(rule, number, OrtDeviceMemoryType_HOST_ACCESSIBLE, OrtDeviceAllocator,
                             device, &memories));
<% endif %>
<% if read_only %>
  EP_RETURN_IF_ERROR(AddKind(rule, number, OrtDeviceMemoryType_DEFAULT, OrtReadOnlyAllocator,
                             device, &memories));
<% endif %>
  described->push_back(std::move(memories));
  return Status();
}

Status Memories::AddKind(const DeviceRule& rule, size_t number, OrtDeviceMemoryType kind,
                         OrtAllocatorType type, OrtEpDevice* device, DeviceMemories* memories) {
  const OrtMemoryInfoDeviceType device_type =
      rule.type == DeviceType::kNpu ? OrtMemoryInfoDeviceType_NPU : OrtMemoryInfoDeviceType_GPU;
  MemoryInfo info(*api_.ort);
  // Devices of one kind are told apart by their number.
  EP_ORT(api_, ort->CreateMemoryInfo_V2(<%= "api_.identity->ep_name" if several else "kEpName" %>, device_type, kVendorId,
                                        static_cast<int32_t>(number), kind, 0, type, info.out()));
  EP_ORT(api_, ep->EpDevice_AddAllocatorInfo(device, info.get()));  // keeps the pointer
  MemorySource* source = &device_source_;
  bool is_arena = <%= default_arena | cpp_bool %>;
<% if host_accessible %>
  if (kind == OrtDeviceMemoryType_HOST_ACCESSIBLE) {
    source = &host_source_;
    is_arena = <%= host_arena | cpp_bool %>;
  }
<% endif %>
<% if read_only %>
  if (type == OrtReadOnlyAllocator) is_arena = <%= read_only_arena | cpp_bool %>;
<% endif %>
  memories->kinds.emplace_back(std::move(info), *source, is_arena);
  return Status();
}

void Memories::Keep(std::vector<DeviceMemories> described) {
  for (DeviceMemories& memories : described) devices_.push_back(std::move(memories));
}

const OrtMemoryInfo* Memories::Find(const OrtMemoryDevice* device) const {
  for (const DeviceMemories& memories : devices_) {
    for (const Memory& memory : memories.kinds) {
      const OrtMemoryInfo* info = memory.info.get();
      if (api_.ep->MemoryDevice_AreEqual(api_.ep->MemoryInfo_GetMemoryDevice(info), device)) {
        return info;
      }
    }
  }
  return nullptr;
}

const OrtMemoryDevice* Memories::DefaultOf(const OrtHardwareDevice* hardware) const {
  for (const DeviceMemories& memories : devices_) {
    if (memories.hardware != hardware) continue;
    return api_.ep->MemoryInfo_GetMemoryDevice(memories.kinds[0].info.get());
  }
  return nullptr;
}

Memory* Memories::FindExactly(const OrtMemoryDevice* device, OrtAllocatorType type) {
  for (DeviceMemories& memories : devices_) {
    for (Memory& memory : memories.kinds) {
      const OrtMemoryInfo* info = memory.info.get();
      OrtAllocatorType own = OrtInvalidAllocator;
      if (!FromOrt(api_, api_.ort->MemoryInfoGetType(info, &own)).ok() || own != type) continue;
      if (api_.ep->MemoryDevice_AreEqual(api_.ep->MemoryInfo_GetMemoryDevice(info), device)) {
        return &memory;
      }
    }
  }
  return nullptr;
}

Status Memories::MakeAllocator(const OrtMemoryInfo* info, const OrtKeyValuePairs* options,
                               OrtAllocator** allocator) {
  *allocator = nullptr;
  Memory* memory = nullptr;
  if (info != nullptr) {
    OrtAllocatorType type = OrtInvalidAllocator;
    EP_ORT(api_, ort->MemoryInfoGetType(info, &type));
    memory = FindExactly(api_.ep->MemoryInfo_GetMemoryDevice(info), type);
  }
  if (memory == nullptr) {
    return InvalidArgument("CreateAllocator: not the memory of a device of ours");
  }
<% if arena %>
  std::shared_ptr<Arena> arena;
  EP_RETURN_IF_ERROR(FindArena(options, memory, &arena));
<% if graph_capture %>
  auto made = std::make_unique<Allocator>(api_, logger_, *memory->source, std::move(arena),
                                          memory->info.get());
  made->set_captures(&captures_);
  *allocator = made.release();
<% else %>
  *allocator = std::make_unique<Allocator>(api_, logger_, *memory->source, std::move(arena),
                                           memory->info.get())
                   .release();
<% endif %>
  return Status();
}

// The arena that an allocator with these options has; null for plain memory.
Status Memories::FindArena(const OrtKeyValuePairs* options, Memory* memory,
                           std::shared_ptr<Arena>* arena) {
  ArenaOptions wanted;
  bool is_configured = false;
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  if (options != nullptr) api_.ort->GetKeyValuePairs(options, &keys, &values, &count);
  for (size_t i = 0; i < count; ++i) {
    if (!IsArenaOption(keys[i])) continue;
    if (!memory->is_arena) return NoArena(keys[i]);
    EP_RETURN_IF_ERROR(SetArenaOption(keys[i], values[i], &wanted));
    is_configured = true;
  }
  if (!memory->is_arena) return Status();
  const std::lock_guard<std::mutex> lock(mutex_);
  *arena = memory->arena.lock();
  if (*arena == nullptr || (is_configured && !((*arena)->options() == wanted))) {
<% if streams %>
    *arena = std::make_shared<Arena>(*memory->source, wanted, &order_);
<% else %>
    *arena = std::make_shared<Arena>(*memory->source, wanted);
<% endif %>
    memory->arena = *arena;
  }
  return Status();
}
<% else %>
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  if (options != nullptr) api_.ort->GetKeyValuePairs(options, &keys, &values, &count);
  for (size_t i = 0; i < count; ++i) {
    if (IsArenaOption(keys[i])) return NoArena(keys[i]);
  }
<% if graph_capture %>
  auto made = std::make_unique<Allocator>(api_, logger_, *memory->source, memory->info.get());
  made->set_captures(&captures_);
  *allocator = made.release();
<% else %>
  *allocator =
      std::make_unique<Allocator>(api_, logger_, *memory->source, memory->info.get()).release();
<% endif %>
  return Status();
}
<% endif %>

}  // namespace <%= ns %>
