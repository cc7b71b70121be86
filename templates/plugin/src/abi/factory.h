<%= banner %>
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "abi/api.h"
#include "abi/handles.h"
#include "abi/kernel_registry.h"
#include "abi/logger.h"
<% if device_memory %>
#include "device/runtime.h"
<% endif %>
#include "gen/api/status.h"
#include "gen/devices.h"

namespace <%= ns %> {

// What ORT gets for one registration of the library: says which devices there are, makes an
// execution provider for each session, and owns what outlives sessions.
class Factory : public OrtEpFactory {
 public:
  using Struct = OrtEpFactory;

  Factory(const Api& api, const OrtLogger* default_logger);
<% if device_memory %>

  // Gets hold of the device runtime.
  Status Init();
<% endif %>

  const Api& api() const noexcept { return api_; }

  // The kernels, the same for all sessions; made at the first call.
  Status GetKernelRegistry(const OrtKernelRegistry** registry);
<% if device_memory %>

  Runtime& runtime() noexcept { return *runtime_; }
  // The memory info of one of our devices; null when `device` is not ours.
  const OrtMemoryInfo* FindMemory(const OrtMemoryDevice* device) const;
<% endif %>

 private:
  // The slots of OrtEpFactory.
  const char* Name() const;
  const char* Vendor() const;
  uint32_t VendorId() const;
  const char* Version() const;
  Status ListDevices(const OrtHardwareDevice* const* hardware, size_t count,
                                 OrtEpDevice** devices, size_t max_devices, size_t* device_count);
  Status MakeEp(const OrtHardwareDevice* const* devices,
                      const OrtKeyValuePairs* const* metadata, size_t count,
                      const OrtSessionOptions* session, const OrtLogger* logger, OrtEp** ep);
  void DeleteEp(OrtEp* ep);
  Status MakeDataTransfer(OrtDataTransferImpl** transfer);
  bool StreamAware() const;
<% if device_memory %>
  Status MakeAllocator(const OrtMemoryInfo* info, const OrtKeyValuePairs* options,
                             OrtAllocator** allocator);
  void DeleteAllocator(OrtAllocator* allocator);
<% endif %>

  // What one call of GetSupportedDevices makes. Nothing of it is published before all of it is
  // there; until then its destructor takes everything back.
  struct Enumeration {
    std::vector<EpDevice> devices;
    std::vector<HardwareDevice> hardware;
<% if device_memory %>
    std::vector<MemoryInfo> memory;
<% endif %>
  };
  Status AddDevice(const DeviceRule& rule, const OrtHardwareDevice* hardware, Enumeration* made);
  Status AddVirtualDevice(const DeviceRule& rule, Enumeration* made);
  Status AllowsVirtualDevices(bool* allowed) const;

  const Api api_;
  const Logger logger_;
<% if device_memory %>
  std::unique_ptr<Runtime> runtime_;
  std::vector<MemoryInfo> memory_;  // one per device; devices and allocators point to them
<% endif %>
  std::vector<HardwareDevice> hardware_;  // the virtual ones; ORT owns the others
  std::mutex registry_mutex_;
  std::unique_ptr<Registry> registry_;
};

}  // namespace <%= ns %>
