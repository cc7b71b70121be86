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
class Factory final : public OrtEpFactory {
 public:
  using Struct = OrtEpFactory;

  Factory(const Api& api, const OrtLogger* default_logger);
<% if device_memory %>
  // Gets hold of the device runtime.
  Status Init();
<% endif %>

  const Api& api() const noexcept { return api_; }
  // The kernels, the same for all sessions; registered at the first call.
  Status GetKernelRegistry(const OrtKernelRegistry** kernels);
<% if device_memory %>
  Runtime& runtime() const noexcept { return *runtime_; }
  // The memory info of one of our devices; null when `device` is not ours.
  const OrtMemoryInfo* FindMemory(const OrtMemoryDevice* device) const;
<% endif %>

 private:
  // What one call of ListDevices makes. Nothing of it is handed out before all of it is there;
  // until then its destructor takes everything back.
  struct Made {
    std::vector<EpDevice> devices;
<% if virtual %>
    std::vector<HardwareDevice> hardware;
<% endif %>
<% if device_memory %>
    std::vector<MemoryInfo> memory;
<% endif %>
  };
  Status AddDevice(const DeviceRule& rule, const OrtHardwareDevice* hardware, Made* made);
<% if virtual %>
  Status AddVirtualDevices(Made* made);
<% endif %>

  // The callbacks.
  const char* Name() const { return kEpName; }
  const char* Vendor() const { return kVendor; }
  uint32_t VendorId() const { return kVendorId; }
  const char* Version() const { return kVersion; }
  bool StreamAware() const { return false; }
  Status ListDevices(const OrtHardwareDevice* const* hardware, size_t count, OrtEpDevice** devices,
                     size_t max_devices, size_t* device_count);
  Status MakeEp(const OrtHardwareDevice* const* devices, const OrtKeyValuePairs* const* metadata,
                size_t count, const OrtSessionOptions* session, const OrtLogger* logger, OrtEp** ep);
  void DropEp(OrtEp* ep);
  Status MakeDataTransfer(OrtDataTransferImpl** transfer);
<% if device_memory %>
  Status MakeAllocator(const OrtMemoryInfo* info, const OrtKeyValuePairs* options,
                       OrtAllocator** allocator);
  void DropAllocator(OrtAllocator* allocator);
<% endif %>

  const Api api_;
  const Logger logger_;
<% if device_memory %>
  std::unique_ptr<Runtime> runtime_;
  std::vector<MemoryInfo> memory_;  // one per device; devices and allocators point to them
<% endif %>
<% if virtual %>
  std::vector<HardwareDevice> hardware_;  // the virtual ones; ORT owns the others
<% endif %>
  std::mutex mutex_;  // of kernels_
  std::unique_ptr<Registry> kernels_;
};

}  // namespace <%= ns %>
