<%= banner %>
#include "abi/factory.h"

<% if virtual %>
#include <onnxruntime_env_config_keys.h>
#include <onnxruntime_ep_device_ep_metadata_keys.h>

<% endif %>
<% if not registry and not device_memory and not custom_ops %>
#include <memory>
<% endif %>
#include <string>
#include <utility>

<% if device_memory %>
#include "abi/allocator.h"
#include "abi/data_transfer.h"
<% endif %>
<% if contexts %>
#include "abi/compatibility.h"
<% endif %>
#include "abi/ep.h"
#include "abi/guard.h"
#include "abi/bridge.h"
#include "device/discovery.h"

namespace <%= ns %> {
namespace {

Hardware Describe(const OrtApi& ort, const OrtHardwareDevice* device) {
  Hardware hardware;
  const OrtHardwareDeviceType type = ort.HardwareDevice_Type(device);
  if (type == OrtHardwareDeviceType_GPU) hardware.type = DeviceType::kGpu;
  if (type == OrtHardwareDeviceType_NPU) hardware.type = DeviceType::kNpu;
  hardware.vendor_id = ort.HardwareDevice_VendorId(device);
  hardware.device_id = ort.HardwareDevice_DeviceId(device);
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  ort.GetKeyValuePairs(ort.HardwareDevice_Metadata(device), &keys, &values, &count);
  for (size_t i = 0; i < count; ++i) hardware.metadata.emplace_back(keys[i], values[i]);
  return hardware;
}
<% if contexts and weightless != "none" and target >= 29 %>

// How much of a model's constants can stay out of its EPContext nodes. What newer runtimes read is
// left out for older ones, whose headers do not name these keys either.
struct WeightlessKey {
  uint32_t since;
  const char* key;
  const char* value;
};
constexpr WeightlessKey kWeightlessKeys[] = {
    {29, "weightless_support", <%= weightless | cpp_string %>},
<% if target >= 32 %>
    {32, "weightless_supported_modes", <% if weightless == "all" %>"all_or_external_only"<% else %><%= weightless | cpp_string %><% endif %>},
<% endif %>
};
<% endif %>

}  // namespace

Factory::Factory(const Api& api, const OrtLogger* default_logger)
    : OrtEpFactory(Stamped<OrtEpFactory>(api)), api_(api), logger_(api, default_logger) {
  GetName = Callback<&Factory::Name>::Call;
  GetVendor = Callback<&Factory::Vendor>::Call;
  GetVendorId = Callback<&Factory::VendorId>::Call;
  GetVersion = Callback<&Factory::Version>::Call;
  GetSupportedDevices = Callback<&Factory::ListDevices>::Call;
  CreateEp = Callback<&Factory::MakeEp>::Call;
  ReleaseEp = Callback<&Factory::DropEp>::Call;
  IsStreamAware = Callback<&Factory::StreamAware>::Call;
  // Never null, whatever the header says: ORT calls it without looking.
  CreateDataTransfer = Callback<&Factory::MakeDataTransfer>::Call;
<% if custom_ops %>
  GetNumCustomOpDomains = Callback<&Factory::CountDomains>::Call;
  GetCustomOpDomains = Callback<&Factory::ListDomains>::Call;
<% endif %>
<% if contexts %>
  ValidateCompiledModelCompatibilityInfo = Callback<&Factory::JudgeCompiled>::Call;
  GetHardwareDeviceIncompatibilityDetails = Callback<&Factory::ExplainDevice>::Call;
<% if select_candidate %>
  SelectBestModelCandidate = Callback<&Factory::SelectModel>::Call;
<% endif %>
<% endif %>
<% if device_memory %>
  CreateAllocator = Callback<&Factory::MakeAllocator>::Call;
  ReleaseAllocator = Callback<&Factory::DropAllocator>::Call;
<% endif %>
}
<% if device_memory %>

Status Factory::Init() {
  const Status opened = MakeRuntime(&runtime_);
  if (!opened.ok()) {
    logger_.Warn(std::string("offers no device: ") + opened.message());
    runtime_.reset();
<% if memories %>
    return Status();
  }
  memories_ = std::make_unique<Memories>(api_, logger_, *runtime_);
<% else %>
  }
<% endif %>
  return Status();
}
<% endif %>

Status Factory::ListDevices(const OrtHardwareDevice* const* hardware, size_t count,
                            OrtEpDevice** devices, size_t max_devices, size_t* device_count) {
  *device_count = 0;
<% if device_memory %>
  if (runtime_ == nullptr) return Status();
<% endif %>
  Made made;
  for (size_t i = 0; i < count; ++i) {
    const DeviceRule* rule = nullptr;
    const Status looked = FindRule(Describe(*api_.ort, hardware[i]), &rule);
    if (!looked.ok()) logger_.Warn(std::string("could not look at a device: ") + looked.message());
    if (looked.ok() && rule != nullptr) EP_RETURN_IF_ERROR(AddDevice(*rule, hardware[i], &made));
  }
<% if virtual %>
  EP_RETURN_IF_ERROR(AddVirtualDevices(&made));
<% endif %>
  if (made.devices.empty()) {
    logger_.Info("drives none of the " + std::to_string(count) + " devices of this machine");
  }
  if (made.devices.size() > max_devices) return Failed("there is no room for all our devices");
<% if virtual or device_memory %>
  // What earlier calls made stays: ORT may hold pointers to it.
<% endif %>
<% if virtual %>
<% if contexts %>
  for (VirtualDevice& device : made.hardware) hardware_.push_back(std::move(device));
<% else %>
  for (HardwareDevice& device : made.hardware) hardware_.push_back(std::move(device));
<% endif %>
<% endif %>
<% if memories %>
  memories_->Keep(std::move(made.memory));
<% elif device_memory %>
  for (MemoryInfo& info : made.memory) memory_.push_back(std::move(info));
<% endif %>
  for (EpDevice& device : made.devices) devices[(*device_count)++] = device.release();
  return Status();
}

<% if metadata or device_memory %>
Status Factory::AddDevice(const DeviceRule& rule, const OrtHardwareDevice* hardware, Made* made) {
<% else %>
Status Factory::AddDevice(const DeviceRule& /*rule*/, const OrtHardwareDevice* hardware,
                          Made* made) {
<% endif %>
  KeyValuePairs metadata(*api_.ort);
  KeyValuePairs options(*api_.ort);
<% if metadata %>
  api_.ort->CreateKeyValuePairs(metadata.out());
  for (size_t i = 0; i < rule.metadata_count; ++i) {
    api_.ort->AddKeyValuePair(metadata.get(), rule.metadata[i].key, rule.metadata[i].value);
  }
<% if contexts and weightless != "none" and target >= 29 %>
  for (const WeightlessKey& key : kWeightlessKeys) {
    if (api_.level >= key.since) api_.ort->AddKeyValuePair(metadata.get(), key.key, key.value);
  }
<% endif %>
<% endif %>
<% if options %>
  api_.ort->CreateKeyValuePairs(options.out());
  for (const OptionDefault& option : kOptionDefaults) {
    api_.ort->AddKeyValuePair(options.get(), option.key, option.value);
  }
<% endif %>
  EpDevice device(*api_.ep);
  EP_ORT(api_, ep->CreateEpDevice(this, hardware, metadata.get(), options.get(), device.out()));
<% if memories %>
  EP_RETURN_IF_ERROR(memories_->Describe(rule, hardware,
                                         memories_->device_count() + made->memory.size(),
                                         device.get(), &made->memory));
<% elif device_memory %>
  const OrtMemoryInfoDeviceType type =
      rule.type == DeviceType::kNpu ? OrtMemoryInfoDeviceType_NPU : OrtMemoryInfoDeviceType_GPU;
  const auto ordinal = static_cast<int32_t>(memory_.size() + made->memory.size());
  MemoryInfo info(*api_.ort);
  EP_ORT(api_, ort->CreateMemoryInfo_V2(kEpName, type, kVendorId, ordinal,
                                        OrtDeviceMemoryType_DEFAULT, 0, OrtDeviceAllocator,
                                        info.out()));
  EP_ORT(api_, ep->EpDevice_AddAllocatorInfo(device.get(), info.get()));  // keeps the pointer
  made->memory.push_back(std::move(info));
<% endif %>
  made->devices.push_back(std::move(device));
  return Status();
}
<% if virtual %>

Status Factory::AddVirtualDevices(Made* made) {
  // ORT sets this entry when the registration name ends in ".virtual".
  KeyValuePairs entries(*api_.ort);
  EP_ORT(api_, ep->GetEnvConfigEntries(entries.out()));
  const char* allowed = api_.ort->GetKeyValue(entries.get(), kOrtEnvAllowVirtualDevices);
  if (allowed == nullptr || std::string(allowed) != "1") return Status();
  KeyValuePairs metadata(*api_.ort);
  api_.ort->CreateKeyValuePairs(metadata.out());
  api_.ort->AddKeyValuePair(metadata.get(), kOrtHardwareDevice_MetadataKey_IsVirtual, "1");
  for (const DeviceRule& rule : kDeviceRules) {
    if (!rule.allow_virtual) continue;
    OrtHardwareDeviceType type = OrtHardwareDeviceType_CPU;
    if (rule.type == DeviceType::kGpu) type = OrtHardwareDeviceType_GPU;
    if (rule.type == DeviceType::kNpu) type = OrtHardwareDeviceType_NPU;
    const uint32_t vendor_id = rule.any_vendor ? kVendorId : rule.vendor_id;
    const uint32_t device_id = rule.device_id_count > 0 ? rule.device_ids[0] : 0;
    HardwareDevice hardware(*api_.ep);
    EP_ORT(api_, ep->CreateHardwareDevice(type, vendor_id, device_id, kVendor, metadata.get(),
                                          hardware.out()));
    EP_RETURN_IF_ERROR(AddDevice(rule, hardware.get(), made));
<% if contexts %>
    made->hardware.push_back({std::move(hardware), &rule});
<% else %>
    made->hardware.push_back(std::move(hardware));
<% endif %>
  }
  return Status();
}
<% endif %>

<% if contexts %>
Status Factory::RuleOf(const OrtHardwareDevice* hardware, const DeviceRule** rule) const {
<% if virtual %>
  for (const VirtualDevice& device : hardware_) {
    if (device.hardware.get() != hardware) continue;
    *rule = device.rule;  // which may want more of hardware than a virtual device has
    return Status();
  }
<% endif %>
  return FindRule(Describe(*api_.ort, hardware), rule);
}

Status Factory::JudgeCompiled(const OrtHardwareDevice* const* devices, size_t count,
                              const char* info, OrtCompiledModelCompatibility* verdict) {
  std::vector<const DeviceRule*> rules(count);
  for (size_t i = 0; i < count; ++i) EP_RETURN_IF_ERROR(RuleOf(devices[i], &rules[i]));
  *verdict = Judge(info != nullptr ? info : "", rules.data(), count);
  return Status();
}

Status Factory::ExplainDevice(const OrtHardwareDevice* hardware,
                              OrtDeviceEpIncompatibilityDetails* details) {
  const DeviceRule* rule = nullptr;
  const Status looked = RuleOf(hardware, &rule);
  if (looked.ok() && rule != nullptr) return Status();
  uint32_t reason = OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE;
  std::string note = std::string(kEpName) + " drives " + DescribeRules();
  if (!looked.ok()) {
    reason = static_cast<uint32_t>(OrtDeviceEpIncompatibility_UNKNOWN);
    note = std::string("could not look at the device: ") + looked.message();
  }
  return FromOrt(api_, api_.ep->DeviceEpIncompatibilityDetails_SetDetails(details, reason, 0,
                                                                          note.c_str()));
}

<% if select_candidate %>
Status Factory::SelectModel(const OrtHardwareDevice* hardware,
                            const OrtKeyValuePairs* const* candidates, size_t count,
                            const OrtSessionOptions* /*session*/, size_t* selected) {
  const DeviceRule* rule = nullptr;
  *selected = SIZE_MAX;
  EP_RETURN_IF_ERROR(RuleOf(hardware, &rule));
  *selected = SelectCandidate(*api_.ort, candidates, count, rule);
  return Status();
}

<% endif %>
Status Factory::MakeEp(const OrtHardwareDevice* const* devices,
<% elif default_memory %>
Status Factory::MakeEp(const OrtHardwareDevice* const* devices,
<% else %>
Status Factory::MakeEp(const OrtHardwareDevice* const* /*devices*/,
<% endif %>
                       const OrtKeyValuePairs* const* /*metadata*/, size_t count,
                       const OrtSessionOptions* session, const OrtLogger* logger, OrtEp** ep) {
  *ep = nullptr;
<% if device_memory %>
  if (runtime_ == nullptr) return Failed("CreateEp: there is no device");
<% endif %>
  const Logger session_logger(api_, logger);
  if (count > 1) {
    // Not an error: a device shows up once for each registration of the library.
    session_logger.Warn("uses the first of the " + std::to_string(count) + " devices given");
  }
<% if contexts %>
  const DeviceRule* rule = nullptr;
  if (count > 0) EP_RETURN_IF_ERROR(RuleOf(devices[0], &rule));
  if (rule == nullptr) return InvalidArgument("none of the session's devices is ours");
  auto made = std::make_unique<Ep>(*this, session_logger, *rule);
<% else %>
  auto made = std::make_unique<Ep>(*this, session_logger);
<% endif %>
<% if default_memory %>
  if (count > 0) made->set_memory(memories_->DefaultOf(devices[0]));
<% endif %>
  EP_RETURN_IF_ERROR(made->Init(session));
  *ep = made.release();
  return Status();
}

void Factory::DropEp(OrtEp* ep) { delete static_cast<Ep*>(ep); }
<% if registry %>

Status Factory::GetKernelRegistry(const OrtKernelRegistry** kernels) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (kernels_ == nullptr) {
<% if device_memory %>
    auto made = std::make_unique<Registry>(api_, *runtime_);
<% else %>
    auto made = std::make_unique<Registry>(api_);
<% endif %>
    EP_RETURN_IF_ERROR(made->Init());
    kernels_ = std::move(made);
  }
  *kernels = kernels_->get();
  return Status();
}
<% endif %>
<% if custom_ops %>

Status Factory::GetDomains(const CustomOpDomains** domains) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (domains_ == nullptr) {
    auto made = std::make_unique<CustomOpDomains>(api_);
    EP_RETURN_IF_ERROR(made->Init());
    domains_ = std::move(made);
  }
  *domains = domains_.get();
  return Status();
}

Status Factory::CountDomains(size_t* count) {
  *count = 0;
  const CustomOpDomains* ours = nullptr;
  EP_RETURN_IF_ERROR(GetDomains(&ours));
  *count = ours->size();
  return Status();
}

Status Factory::ListDomains(OrtCustomOpDomain** domains, size_t count) {
  const CustomOpDomains* ours = nullptr;
  EP_RETURN_IF_ERROR(GetDomains(&ours));
  if (count < ours->size()) return InvalidArgument("there is no room for all our domains");
  for (size_t i = 0; i < ours->size(); ++i) domains[i] = ours->at(i);
  return Status();
}
<% endif %>
<% if device_memory %>

const OrtMemoryInfo* Factory::FindMemory(const OrtMemoryDevice* device) const {
<% if memories %>
  return memories_ != nullptr ? memories_->Find(device) : nullptr;
}
<% else %>
  for (const MemoryInfo& info : memory_) {
    if (api_.ep->MemoryDevice_AreEqual(api_.ep->MemoryInfo_GetMemoryDevice(info.get()), device)) {
      return info.get();
    }
  }
  return nullptr;
}
<% endif %>

Status Factory::MakeDataTransfer(OrtDataTransferImpl** transfer) {
  *transfer = std::make_unique<DataTransfer>(*this).release();
  return Status();
}

<% if memories %>
Status Factory::MakeAllocator(const OrtMemoryInfo* info, const OrtKeyValuePairs* options,
                              OrtAllocator** allocator) {
  *allocator = nullptr;
  if (memories_ == nullptr) return Failed("CreateAllocator: there is no device");
  return memories_->MakeAllocator(info, options, allocator);
}
<% else %>
Status Factory::MakeAllocator(const OrtMemoryInfo* info, const OrtKeyValuePairs* /*options*/,
                              OrtAllocator** allocator) {
  *allocator = nullptr;
  const OrtMemoryInfo* ours =
      info != nullptr ? FindMemory(api_.ep->MemoryInfo_GetMemoryDevice(info)) : nullptr;
  if (ours == nullptr) return InvalidArgument("CreateAllocator: not the memory of a device of ours");
  *allocator = std::make_unique<Allocator>(api_, *runtime_, ours).release();
  return Status();
}
<% endif %>

void Factory::DropAllocator(OrtAllocator* allocator) { delete static_cast<Allocator*>(allocator); }
<% else %>

// The kernels work in the CPU's memory: there is nothing to transfer.
Status Factory::MakeDataTransfer(OrtDataTransferImpl** transfer) {
  *transfer = nullptr;
  return Status();
}
<% endif %>

}  // namespace <%= ns %>
