<%= banner %>
#pragma once

<% if registry or device_memory or custom_ops %>
#include <memory>
<% endif %>
<% if registry or custom_ops %>
#include <mutex>
<% endif %>
#include <vector>

#include "abi/api.h"
<% if custom_ops %>
#include "abi/custom_op_domains.h"
<% endif %>
<% if graphics_interop %>
#include "abi/graphics_queues.h"
<% endif %>
#include "abi/handles.h"
<% if registry %>
#include "abi/kernel_registry.h"
<% endif %>
#include "abi/logger.h"
<% if share %>
#include "abi/share_group.h"
<% endif %>
<% if memories %>
#include "abi/memories.h"
<% endif %>
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
  // Opens the device. Without it there is no error, and no device either; the log says why.
  Status Init();
<% endif %>

  const Api& api() const noexcept { return api_; }
<% if registry %>
  // The kernels, the same for all sessions; registered at the first call.
  Status GetKernelRegistry(const OrtKernelRegistry** kernels);
<% endif %>
<% if share %>
  Shares& shares() noexcept { return shares_; }
<% endif %>
<% if device_memory %>
  // There is one wherever there is a device.
  Runtime& runtime() const noexcept { return *runtime_; }
<% if streams %>
  StreamOrder& order() const noexcept { return memories_->order(); }
<% if graph_capture %>
  CaptureMemories& captures() const noexcept { return memories_->captures(); }
<% endif %>
  // A queue for work on `device`: a new one, or `users` where the application has one.
<% if graph_capture %>
  // `owner` is kept for as long as it is there.
  Status MakeStream(const OrtMemoryDevice* device, Stream users, OrtSyncStreamImpl** stream,
                    std::shared_ptr<const void> owner = nullptr) const;
<% else %>
  Status MakeStream(const OrtMemoryDevice* device, Stream users, OrtSyncStreamImpl** stream) const;
<% endif %>
<% endif %>
  // The memory info of one of our devices; null when `device` is not ours.
  const OrtMemoryInfo* FindMemory(const OrtMemoryDevice* device) const;
<% endif %>

 private:
<% if contexts and virtual %>
  // A device of our own, and the rule that it was made from.
  struct VirtualDevice {
    HardwareDevice hardware;
    const DeviceRule* rule;
  };
<% endif %>
  // What one call of ListDevices makes. Nothing of it is handed out before all of it is there;
  // until then its destructor takes everything back.
  struct Made {
    size_t room = 0;  // for devices
    std::vector<EpDevice> devices;
<% if virtual %>
<% if contexts %>
    std::vector<VirtualDevice> hardware;
<% else %>
    std::vector<HardwareDevice> hardware;
<% endif %>
<% endif %>
<% if memories %>
    std::vector<DeviceMemories> memory;
<% elif device_memory %>
    std::vector<MemoryInfo> memory;
<% endif %>
  };
  Status AddDevice(const DeviceRule& rule, const OrtHardwareDevice* hardware, Made* made);
<% if virtual %>
  Status AddVirtualDevices(Made* made);
<% endif %>
<% if software %>
  // May the machine's CPU stand in for a device? The application says so.
  Status AllowsSoftware(bool* allowed) const;
<% endif %>
<% if contexts %>
  // The rule that a device falls under, null for one that is not ours. An error means that this
  // could not be found out.
  Status RuleOf(const OrtHardwareDevice* hardware, const DeviceRule** rule) const;
<% endif %>

<% if custom_ops %>
  // The custom operators, the same for all sessions; made at the first call.
  Status GetDomains(const CustomOpDomains** domains);
<% endif %>

  // The callbacks.
  const char* Name() const { return <%= "api_.identity->ep_name" if several else "kEpName" %>; }
  const char* Vendor() const { return kVendor; }
  uint32_t VendorId() const { return kVendorId; }
  const char* Version() const { return kVersion; }
  bool StreamAware() const { return <%= streams | cpp_bool %>; }
  Status ListDevices(const OrtHardwareDevice* const* hardware, size_t count, OrtEpDevice** devices,
                     size_t max_devices, size_t* device_count);
  Status MakeEp(const OrtHardwareDevice* const* devices, const OrtKeyValuePairs* const* metadata,
                size_t count, const OrtSessionOptions* session, const OrtLogger* logger, OrtEp** ep);
  void DropEp(OrtEp* ep);
<% if contexts %>
  Status JudgeCompiled(const OrtHardwareDevice* const* devices, size_t count, const char* info,
                       OrtCompiledModelCompatibility* verdict);
  Status ExplainDevice(const OrtHardwareDevice* hardware,
                       OrtDeviceEpIncompatibilityDetails* details);
<% if select_candidate %>
  Status SelectModel(const OrtHardwareDevice* hardware, const OrtKeyValuePairs* const* candidates,
                     size_t count, const OrtSessionOptions* session, size_t* selected);
<% endif %>
<% endif %>
<% if device_memory %>
  Status MakeDataTransfer(OrtDataTransferImpl** transfer);
<% else %>
  Status MakeDataTransfer(OrtDataTransferImpl** transfer) {
    *transfer = nullptr;  // the kernels work in the CPU's memory
    return Status();
  }
<% endif %>
<% if memory_capacity %>
  // Either number may be unwanted, and null.
  Status TellCapacity(const OrtEpDevice* device, OrtDeviceMemoryType kind, uint64_t* total,
                      uint64_t* available);
<% endif %>
<% if streams %>
  Status MakeQueue(const OrtMemoryDevice* device, const OrtKeyValuePairs* options,
                   OrtSyncStreamImpl** stream);
<% endif %>
<% if graphics_interop %>
  Status OpenGraphics(const OrtEpDevice* device, const OrtGraphicsInteropConfig* config);
  Status CloseGraphics(const OrtEpDevice* device);
<% endif %>
<% if external_memory %>
  Status MakeImporter(const OrtEpDevice* device, OrtExternalResourceImporterImpl** importer);
<% endif %>
<% if custom_ops %>
  Status CountDomains(size_t* count);
  Status ListDomains(OrtCustomOpDomain** domains, size_t count);
<% endif %>
<% if device_memory %>
  Status MakeAllocator(const OrtMemoryInfo* info, const OrtKeyValuePairs* options,
                       OrtAllocator** allocator);
  void DropAllocator(OrtAllocator* allocator);
<% endif %>

  const Api api_;
  const Logger logger_;
<% if device_memory %>
  std::unique_ptr<Runtime> runtime_;
<% if memories %>
  std::unique_ptr<Memories> memories_;  // null where there is no runtime
<% if graphics_interop %>
  mutable GraphicsQueues graphics_;  // of all devices
<% endif %>
<% else %>
  std::vector<MemoryInfo> memory_;  // one per device; devices and allocators point to them
<% endif %>
<% endif %>
<% if virtual %>
<% if contexts %>
  std::vector<VirtualDevice> hardware_;  // ORT owns the others
<% else %>
  std::vector<HardwareDevice> hardware_;  // the virtual ones; ORT owns the others
<% endif %>
<% endif %>
<% if share %>
  Shares shares_;
<% endif %>
<% if registry or custom_ops %>
  std::mutex mutex_;  // of what is made at the first call
<% endif %>
<% if registry %>
  std::unique_ptr<Registry> kernels_;
<% endif %>
<% if custom_ops %>
  std::unique_ptr<CustomOpDomains> domains_;
<% endif %>
};

}  // namespace <%= ns %>
