<%= banner %>
#include "abi/factory.h"

#include <onnxruntime_env_config_keys.h>
#include <onnxruntime_ep_device_ep_metadata_keys.h>

#include <memory>
#include <string>
#include <utility>

#include "abi/ep.h"
#include "abi/guard.h"
#include "abi/session_options.h"
#include "abi/status_bridge.h"
#include "device/discovery.h"
#include "gen/options.h"
<% if device_memory %>
#include "abi/allocator.h"
#include "abi/data_transfer.h"
<% endif %>

namespace <%= ns %> {
namespace {

constexpr OrtHardwareDeviceType ToOrt(DeviceType type) noexcept {
  switch (type) {
    case DeviceType::kGpu:
      return OrtHardwareDeviceType_GPU;
    case DeviceType::kNpu:
      return OrtHardwareDeviceType_NPU;
    case DeviceType::kCpu:
      break;
  }
  return OrtHardwareDeviceType_CPU;
}

Hardware Describe(const OrtApi& ort, const OrtHardwareDevice* device) {
  Hardware hardware;
  const OrtHardwareDeviceType type = ort.HardwareDevice_Type(device);
  if (type == OrtHardwareDeviceType_GPU) hardware.type = DeviceType::kGpu;
  if (type == OrtHardwareDeviceType_NPU) hardware.type = DeviceType::kNpu;
  hardware.vendor_id = ort.HardwareDevice_VendorId(device);
  hardware.device_id = ort.HardwareDevice_DeviceId(device);
  const OrtKeyValuePairs* metadata = ort.HardwareDevice_Metadata(device);
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  if (metadata != nullptr) ort.GetKeyValuePairs(metadata, &keys, &values, &count);
  for (size_t i = 0; i < count; ++i) hardware.metadata.emplace_back(keys[i], values[i]);
  return hardware;
}

}  // namespace

Factory::Factory(const Api& api, const OrtLogger* default_logger)
    : OrtEpFactory(Stamped<OrtEpFactory>(api)),
      api_(api),
      logger_(api_, default_logger) {
  GetName = Callback<&Factory::Name>::Call;
  GetVendor = Callback<&Factory::Vendor>::Call;
  GetVendorId = Callback<&Factory::VendorId>::Call;
  GetVersion = Callback<&Factory::Version>::Call;
  GetSupportedDevices = Callback<&Factory::ListDevices>::Call;
  CreateEp = Callback<&Factory::MakeEp>::Call;
  ReleaseEp = Callback<&Factory::DeleteEp>::Call;
  // Never null: every release of ORT so far calls it without looking.
  CreateDataTransfer = Callback<&Factory::MakeDataTransfer>::Call;
  IsStreamAware = Callback<&Factory::StreamAware>::Call;
<% if device_memory %>
  CreateAllocator = Callback<&Factory::MakeAllocator>::Call;
  ReleaseAllocator = Callback<&Factory::DeleteAllocator>::Call;
<% endif %>
}
<% if device_memory %>

Status Factory::Init() { return MakeRuntime(&runtime_); }
<% endif %>

const char* Factory::Name() const { return kEpName; }
const char* Factory::Vendor() const { return kVendor; }
uint32_t Factory::VendorId() const { return kVendorId; }
const char* Factory::Version() const { return kVersion; }
bool Factory::StreamAware() const { return false; }

Status Factory::ListDevices(const OrtHardwareDevice* const* hardware, size_t count,
                                        OrtEpDevice** devices, size_t max_devices,
                                        size_t* device_count) {
  *device_count = 0;
  bool allow_virtual = false;
  EP_RETURN_IF_ERROR(AllowsVirtualDevices(&allow_virtual));
  Enumeration made;
  for (size_t i = 0; i < count; ++i) {
    const DeviceRule* rule = nullptr;
    const Status looked = FindRule(Describe(*api_.ort, hardware[i]), &rule);
    if (!looked.ok()) {
      logger_.Warning("GetSupportedDevices", "could not look at a device: " + looked.message());
    } else if (rule != nullptr) {
      EP_RETURN_IF_ERROR(AddDevice(*rule, hardware[i], &made));
    }
  }
  for (const DeviceRule& rule : kDeviceRules) {
    if (allow_virtual && rule.allow_virtual) EP_RETURN_IF_ERROR(AddVirtualDevice(rule, &made));
  }
  if (made.devices.empty()) {
    logger_.Info("GetSupportedDevices", "none of the " + std::to_string(count) +
                                            " devices of this machine is one that " + kEpName +
                                            " drives");
  }
  if (made.devices.size() > max_devices) {
    logger_.Warning("GetSupportedDevices", "ONNX Runtime takes only the first " +
                                               std::to_string(max_devices) + " devices");
    while (made.devices.size() > max_devices) made.devices.pop_back();
  }
  for (HardwareDevice& device : made.hardware) hardware_.push_back(std::move(device));
<% if device_memory %>
  for (MemoryInfo& info : made.memory) memory_.push_back(std::move(info));
<% endif %>
  for (EpDevice& device : made.devices) devices[(*device_count)++] = device.release();
  return Status();
}

Status Factory::AddDevice(const DeviceRule& rule, const OrtHardwareDevice* hardware,
                          Enumeration* made) {
  KeyValuePairs metadata(*api_.ort);
  KeyValuePairs options(*api_.ort);
  api_.ort->CreateKeyValuePairs(metadata.out());
  api_.ort->CreateKeyValuePairs(options.out());
  for (size_t i = 0; i < rule.metadata_count; ++i) {
    api_.ort->AddKeyValuePair(metadata.get(), rule.metadata[i].key, rule.metadata[i].value);
  }
<% if options %>
  for (const auto& option : kOptionDefaults) {
    api_.ort->AddKeyValuePair(options.get(), option.key, option.value);
  }
<% endif %>
  EpDevice device(*api_.ep);
  EP_RETURN_IF_ERROR(FromOrt(api_, api_.ep->CreateEpDevice(this, hardware, metadata.get(),
                                                           options.get(), device.out())));
<% if device_memory %>
  MemoryInfo info(*api_.ort);
  const OrtMemoryInfoDeviceType type =
      rule.type == DeviceType::kNpu ? OrtMemoryInfoDeviceType_NPU : OrtMemoryInfoDeviceType_GPU;
  const auto ordinal = static_cast<int32_t>(memory_.size() + made->memory.size());
  EP_RETURN_IF_ERROR(FromOrt(
      api_, api_.ort->CreateMemoryInfo_V2(kEpName, type, kVendorId, ordinal,
                                          OrtDeviceMemoryType_DEFAULT, Runtime::kAlignment,
                                          OrtDeviceAllocator, info.out())));
  // ORT keeps the pointer, so the factory keeps the info.
  EP_RETURN_IF_ERROR(FromOrt(api_, api_.ep->EpDevice_AddAllocatorInfo(device.get(), info.get())));
  made->memory.push_back(std::move(info));
<% endif %>
  made->devices.push_back(std::move(device));
  return Status();
}

Status Factory::AddVirtualDevice(const DeviceRule& rule, Enumeration* made) {
  KeyValuePairs metadata(*api_.ort);
  api_.ort->CreateKeyValuePairs(metadata.out());
  api_.ort->AddKeyValuePair(metadata.get(), kOrtHardwareDevice_MetadataKey_IsVirtual, "1");
  HardwareDevice hardware(*api_.ep);
  const uint32_t device_id = rule.device_id_count > 0 ? rule.device_ids[0] : 0;
  EP_RETURN_IF_ERROR(FromOrt(
      api_, api_.ep->CreateHardwareDevice(ToOrt(rule.type),
                                          rule.any_vendor ? kVendorId : rule.vendor_id, device_id,
                                          kVendor, metadata.get(), hardware.out())));
  EP_RETURN_IF_ERROR(AddDevice(rule, hardware.get(), made));
  made->hardware.push_back(std::move(hardware));
  return Status();
}

// ORT sets the entry when the registration name ends in ".virtual".
Status Factory::AllowsVirtualDevices(bool* allowed) const {
  KeyValuePairs entries(*api_.ort);
  EP_RETURN_IF_ERROR(FromOrt(api_, api_.ep->GetEnvConfigEntries(entries.out())));
  const char* value = api_.ort->GetKeyValue(entries.get(), kOrtEnvAllowVirtualDevices);
  *allowed = value != nullptr && std::string(value) == "1";
  return Status();
}

Status Factory::MakeEp(const OrtHardwareDevice* const* /*devices*/,
                             const OrtKeyValuePairs* const* /*metadata*/, size_t count,
                             const OrtSessionOptions* session, const OrtLogger* logger,
                             OrtEp** ep) {
  *ep = nullptr;
  const Logger session_logger(api_, logger);
  if (count != 1) {
    // A device appears once for each registration of the library, so more than one may be a mere
    // repetition.
    session_logger.Warning("CreateEp", std::to_string(count) + " devices were given to " +
                                           kEpName + ", which uses the first");
  }
  Options options;
  EP_RETURN_IF_ERROR(ReadSessionOptions(api_, session, &options));
  *ep = std::make_unique<Ep>(*this, session_logger, std::move(options)).release();
  return Status();
}

void Factory::DeleteEp(OrtEp* ep) { delete static_cast<Ep*>(ep); }

Status Factory::GetKernelRegistry(const OrtKernelRegistry** registry) {
  const std::lock_guard<std::mutex> lock(registry_mutex_);
  if (registry_ == nullptr) {
    auto made = std::make_unique<Registry>(api_);
    EP_RETURN_IF_ERROR(made->Init());
    registry_ = std::move(made);
  }
  *registry = registry_->get();
  return Status();
}
<% if device_memory %>

Status Factory::MakeDataTransfer(OrtDataTransferImpl** transfer) {
  *transfer = std::make_unique<DataTransfer>(*this).release();
  return Status();
}

Status Factory::MakeAllocator(const OrtMemoryInfo* info, const OrtKeyValuePairs* /*options*/,
                                    OrtAllocator** allocator) {
  *allocator = nullptr;
  const OrtMemoryInfo* ours =
      info != nullptr ? FindMemory(api_.ep->MemoryInfo_GetMemoryDevice(info)) : nullptr;
  if (ours == nullptr) return InvalidArgument("CreateAllocator: this memory is not the device's");
  *allocator = std::make_unique<Allocator>(*this, ours).release();
  return Status();
}

void Factory::DeleteAllocator(OrtAllocator* allocator) {
  delete static_cast<Allocator*>(allocator);
}

const OrtMemoryInfo* Factory::FindMemory(const OrtMemoryDevice* device) const {
  for (const MemoryInfo& info : memory_) {
    if (api_.ep->MemoryDevice_AreEqual(api_.ep->MemoryInfo_GetMemoryDevice(info.get()), device)) {
      return info.get();
    }
  }
  return nullptr;
}
<% else %>

// The kernels work on the CPU's memory, so there is nothing to transfer.
Status Factory::MakeDataTransfer(OrtDataTransferImpl** transfer) {
  *transfer = nullptr;
  return Status();
}
<% endif %>

}  // namespace <%= ns %>
