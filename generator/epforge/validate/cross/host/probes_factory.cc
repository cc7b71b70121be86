#include "probes_factory.h"

#include <cstdint>
#include <set>
#include <string>

namespace {

constexpr OrtDeviceMemoryType kMemoryTypes[] = {OrtDeviceMemoryType_DEFAULT,
                                                OrtDeviceMemoryType_HOST_ACCESSIBLE};

// The devices that a plugin offers, released in the end.
class Offered {
 public:
  Offered(Plugin* plugin, const Hardware& hardware)
      : plugin_(*plugin), devices_(plugin->Devices(hardware)) {}
  ~Offered() { plugin_.Release(devices_); }
  Offered(const Offered&) = delete;
  Offered& operator=(const Offered&) = delete;

  // The memories of the devices. Throws NotHereError if they have none of their own.
  std::vector<const OrtMemoryInfo*> Memories() const {
    std::vector<const OrtMemoryInfo*> found;
    for (const OrtEpDevice* device : devices_) {
      for (const OrtDeviceMemoryType type : kMemoryTypes) {
        const OrtMemoryInfo* info = ort->EpDevice_MemoryInfo(device, type);
        if (info != nullptr) found.push_back(info);
      }
    }
    if (found.empty()) throw NotHereError("its devices have no memory of their own");
    return found;
  }

 private:
  Plugin& plugin_;
  std::vector<OrtEpDevice*> devices_;
};

Owned<OrtMemoryInfo> MadeUp(OrtMemoryInfoDeviceType type, std::uint32_t vendor, std::int32_t id,
                            OrtDeviceMemoryType memory) {
  OrtMemoryInfo* made = nullptr;
  Check(
      ort->CreateMemoryInfo_V2("made up", type, vendor, id, memory, 0, OrtDeviceAllocator, &made));
  return Own(made, ort->ReleaseMemoryInfo);
}

// A memory like another one, of a device that is not the plugin's.
Owned<OrtMemoryInfo> Foreign(const std::vector<const OrtMemoryInfo*>& all,
                             const OrtMemoryInfo* like) {
  std::set<std::int32_t> taken;
  for (const OrtMemoryInfo* info : all) {
    int id = 0;
    Check(ort->MemoryInfoGetId(info, &id));
    taken.insert(id);
  }
  OrtMemoryInfoDeviceType type{};
  ort->MemoryInfoGetDeviceType(like, &type);
  return MadeUp(type, ort->MemoryInfoGetVendorId(like), *taken.rbegin() + 1,
                ort->MemoryInfoGetDeviceMemType(like));
}

std::string Name(const OrtMemoryInfo* info) {
  const char* name = "";
  OrtStatus* status = ort->MemoryInfoGetName(info, &name);
  if (status != nullptr) ort->ReleaseStatus(status);
  return name;
}

bool IsHost(const OrtMemoryInfo* info) {
  OrtMemoryInfoDeviceType type{};
  ort->MemoryInfoGetDeviceType(info, &type);
  return type == OrtMemoryInfoDeviceType_CPU;
}

}  // namespace

void ProbeHardware(Plugin* plugin, const Hardware& hardware) {
  plugin->Release(plugin->Devices({}));
  plugin->Release(plugin->Devices(hardware, 0));
  plugin->Release(plugin->Devices(hardware, 1));
  OrtEpFactory* factory = plugin->Factory();
  const auto vendor_of = factory->GetVendorId;
  const std::uint32_t vendor = vendor_of != nullptr ? vendor_of(factory) : 0;
  std::vector<Owned<OrtHardwareDevice>> made;
  Hardware all = hardware;
  for (const auto type :
       {OrtHardwareDeviceType_CPU, OrtHardwareDeviceType_GPU, OrtHardwareDeviceType_NPU}) {
    for (const std::uint32_t each : {vendor, 0xfffeu, 0u}) {
      OrtHardwareDevice* device = nullptr;
      Check(plugin->ep().CreateHardwareDevice(type, each, 0xfffe, "made up", nullptr, &device));
      made.push_back(Own(device, plugin->ep().ReleaseHardwareDevice));
      plugin->Release(plugin->Devices({device}));
      all.push_back(device);
    }
  }
  plugin->Release(plugin->Devices(all, 2));
  plugin->Release(plugin->Devices(all, 32));
}

void ProbeMemory(Plugin* plugin, const Hardware& hardware) {
  OrtEpFactory* factory = plugin->Factory();
  const Offered offered(plugin, hardware);
  const std::vector<const OrtMemoryInfo*> memories = offered.Memories();
  const std::string where = "OrtEpFactory.CreateAllocator";
  const auto create = factory->CreateAllocator;
  if (create == nullptr || factory->ReleaseAllocator == nullptr) {
    throw NotHereError("it makes no allocators");
  }
  for (const OrtMemoryInfo* info : memories) {
    OrtAllocator* allocator = nullptr;
    const std::string which = where + ", for " + Name(info) + ": ";
    const Answer answer =
        plugin->Ask(where, [&] { return create(factory, info, nullptr, &allocator); });
    if (answer.failed) {
      plugin->wrong().push_back(which + answer.text);
      continue;
    }
    if (allocator == nullptr) {
      plugin->wrong().push_back(which + "success, and no allocator");
      continue;
    }
    void* memory = allocator->Alloc(allocator, 64);
    if (memory == nullptr)
      plugin->wrong().push_back(which + "its Alloc gives nothing for 64 bytes");
    if (memory != nullptr) allocator->Free(allocator, memory);
    factory->ReleaseAllocator(factory, allocator);
  }
  const auto foreign = Foreign(memories, memories.front());
  OrtAllocator* allocator = nullptr;
  const Answer answer =
      plugin->Ask(where, [&] { return create(factory, foreign.get(), nullptr, &allocator); });
  if (!answer.failed) {
    plugin->wrong().push_back(where + ", for memory that it does not offer: success" +
                              (allocator == nullptr ? ", and no allocator" : ""));
    if (allocator != nullptr) factory->ReleaseAllocator(factory, allocator);
  }
}

void ProbeCopies(Plugin* plugin, const Hardware& hardware) {
  OrtEpFactory* factory = plugin->Factory();
  const Offered offered(plugin, hardware);
  const std::vector<const OrtMemoryInfo*> memories = offered.Memories();
  OrtDataTransferImpl* transfer = nullptr;
  const auto create = factory->CreateDataTransfer;
  if (create == nullptr) throw NotHereError("it makes no copies");
  const Answer answer =
      plugin->Ask("OrtEpFactory.CreateDataTransfer", [&] { return create(factory, &transfer); });
  if (answer.failed) {
    plugin->wrong().push_back("OrtEpFactory.CreateDataTransfer: " + answer.text);
    return;
  }
  if (transfer == nullptr) throw NotHereError("it makes no copies");
  const auto host = MadeUp(OrtMemoryInfoDeviceType_CPU, 0, 0, OrtDeviceMemoryType_DEFAULT);
  for (const OrtMemoryInfo* info : memories) {
    if (IsHost(info)) continue;
    const auto foreign = Foreign(memories, info);
    const OrtMemoryDevice* theirs = plugin->ep().MemoryInfo_GetMemoryDevice(foreign.get());
    const OrtMemoryDevice* ours = plugin->ep().MemoryInfo_GetMemoryDevice(info);
    const OrtMemoryDevice* cpu = plugin->ep().MemoryInfo_GetMemoryDevice(host.get());
    const struct {
      const char* how;
      const OrtMemoryDevice* from;
      const OrtMemoryDevice* to;
      bool right;
    } asked[] = {
        {"from the host to its device", cpu, ours, true},
        {"from its device to the host", ours, cpu, true},
        {"from its device to one of another id, which it does not offer", ours, theirs, false},
        {"from a device of another id, which it does not offer", theirs, ours, false},
        {"from the host to a device of another id", cpu, theirs, false},
        {"from a device of another id to the host", theirs, cpu, false}};
    for (const auto& each : asked) {
      if (transfer->CanCopy(transfer, each.from, each.to) != each.right) {
        plugin->wrong().push_back("OrtDataTransferImpl.CanCopy, " + Name(info) + ", " + each.how +
                                  ": " + (each.right ? "false" : "true"));
      }
    }
  }
  if (transfer->Release != nullptr) transfer->Release(transfer);
}

namespace {

void ProbeStream(Plugin* plugin, OrtEpFactory* factory, const OrtMemoryInfo* info) {
  const std::string where = "OrtEpFactory.IsStreamAware says yes, and ";
  OrtSyncStreamImpl* stream = nullptr;
  const auto create = factory->CreateSyncStreamForDevice;
  const OrtMemoryDevice* device = plugin->ep().MemoryInfo_GetMemoryDevice(info);
  const Answer answer = plugin->Ask("OrtEpFactory.CreateSyncStreamForDevice",
                                    [&] { return create(factory, device, nullptr, &stream); });
  if (answer.failed || stream == nullptr) {
    plugin->wrong().push_back(where + "CreateSyncStreamForDevice gives no stream for " +
                              Name(info) + (answer.failed ? ": " + answer.text : ""));
    return;
  }
  if (stream->GetHandle == nullptr || stream->GetHandle(stream) == nullptr) {
    plugin->wrong().push_back(where + "OrtSyncStreamImpl.GetHandle gives null: no real stream");
  }
  OrtSyncNotificationImpl* notification = nullptr;
  const auto notify = stream->CreateNotification;
  if (notify == nullptr) {
    plugin->wrong().push_back(where + "OrtSyncStreamImpl.CreateNotification is null");
  } else {
    const Answer made = plugin->Ask("OrtSyncStreamImpl.CreateNotification",
                                    [&] { return notify(stream, &notification); });
    if (made.failed || notification == nullptr) {
      plugin->wrong().push_back(where +
                                "OrtSyncStreamImpl.CreateNotification gives none: " + made.text);
    }
  }
  if (notification != nullptr && notification->Release != nullptr) {
    notification->Release(notification);
  }
  if (stream->Release != nullptr) stream->Release(stream);
}

}  // namespace

void ProbeStreams(Plugin* plugin, const Hardware& hardware) {
  OrtEpFactory* factory = plugin->Factory();
  const auto aware = factory->IsStreamAware;
  if (aware == nullptr || !aware(factory)) throw NotHereError("it is not stream-aware");
  const std::string where = "OrtEpFactory.IsStreamAware says yes, and ";
  if (factory->CreateSyncStreamForDevice == nullptr) {
    plugin->wrong().push_back(where + "CreateSyncStreamForDevice is null");
    return;
  }
  const Offered offered(plugin, hardware);
  std::vector<const OrtMemoryInfo*> memories;
  try {
    memories = offered.Memories();
  } catch (const NotHereError&) {
    plugin->wrong().push_back(where + "no device has memory that a stream could be for");
    return;
  }
  for (const OrtMemoryInfo* info : memories) {
    const bool pinned =
        ort->MemoryInfoGetDeviceMemType(info) == OrtDeviceMemoryType_HOST_ACCESSIBLE;
    if (!IsHost(info) && !pinned) ProbeStream(plugin, factory, info);
  }
}
