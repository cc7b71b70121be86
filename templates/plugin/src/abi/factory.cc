<%= banner %>
#include "abi/factory.h"

<% if not registry and not device_memory and not custom_ops %>
#include <memory>
<% endif %>
#include <string>
#include <utility>

<% if device_memory %>
#include "abi/allocator.h"
#include "abi/data_transfer.h"
<% endif %>
<% if external_memory %>
#include "abi/resource_importer.h"
<% endif %>
<% if streams %>
#include "abi/sync_stream.h"
<% endif %>
<% if contexts %>
#include "abi/bridge.h"
#include "abi/compatibility.h"
<% endif %>
#include "abi/ep.h"
#include "abi/guard.h"
<% if contexts %>
#include "device/discovery.h"
<% endif %>

namespace <%= ns %> {

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
<% if memory_capacity %>
  if (api_.level >= 32) GetDeviceMemoryCapacity = Callback<&Factory::TellCapacity>::Call;
<% endif %>
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
<% if streams %>
  CreateSyncStreamForDevice = Callback<&Factory::MakeQueue>::Call;
<% endif %>
<% if graphics_interop %>
  if (api_.level >= 25) {
    InitGraphicsInterop = Callback<&Factory::OpenGraphics>::Call;
    DeinitGraphicsInterop = Callback<&Factory::CloseGraphics>::Call;
  }
<% endif %>
<% if external_memory %>
  CreateExternalResourceImporterForDevice = Callback<&Factory::MakeImporter>::Call;
<% endif %>
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

<% if contexts %>
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
<% if streams %>

<% if graph_capture %>
Status Factory::MakeStream(const OrtMemoryDevice* device, Stream users, OrtSyncStreamImpl** stream,
                           std::shared_ptr<const void> owner) const {
<% else %>
Status Factory::MakeStream(const OrtMemoryDevice* device, Stream users,
                           OrtSyncStreamImpl** stream) const {
<% endif %>
  *stream = nullptr;
  if (runtime_ == nullptr) return Failed("there is no device");
<% if graphics_interop %>
  const OrtMemoryInfo* memory = FindMemory(device);
  if (memory == nullptr) return InvalidArgument("not the memory of a device of ours");
  auto made = std::make_unique<SyncStream>(api_, *runtime_, order());
  if (users == nullptr) made->set_graphics(graphics_.Use(memory, &users));
<% else %>
  if (FindMemory(device) == nullptr) return InvalidArgument("not the memory of a device of ours");
  auto made = std::make_unique<SyncStream>(api_, *runtime_, order());
<% endif %>
  EP_RETURN_IF_ERROR(made->Init(users));
<% if graph_capture %>
  made->set_owner(std::move(owner));
<% endif %>
  *stream = made.release();
  return Status();
}

// Nothing about a queue can be chosen, so options are an error rather than ignored.
Status Factory::MakeQueue(const OrtMemoryDevice* device, const OrtKeyValuePairs* options,
                          OrtSyncStreamImpl** stream) {
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  *stream = nullptr;
  if (options != nullptr) api_.ort->GetKeyValuePairs(options, &keys, &values, &count);
  if (count > 0) return InvalidArgument(std::string("unknown option of a stream: ") + keys[0]);
<% if graph_capture %>
  EP_RETURN_IF_ERROR(MakeStream(device, nullptr, stream));
  order().SetOutside((*stream)->GetHandle(*stream));
  return Status();
<% else %>
  return MakeStream(device, nullptr, stream);
<% endif %>
}
<% endif %>
<% if graphics_interop %>

Status Factory::OpenGraphics(const OrtEpDevice* device, const OrtGraphicsInteropConfig* config) {
  const OrtMemoryInfo* memory =
      api_.ort->EpDevice_MemoryInfo(device, OrtDeviceMemoryType_DEFAULT);
  if (memory != nullptr) memory = FindMemory(api_.ep->MemoryInfo_GetMemoryDevice(memory));
  if (memory == nullptr) return InvalidArgument("InitGraphicsInterop: not a device of ours");
  return graphics_.Open(api_, *runtime_, memory, config);
}

Status Factory::CloseGraphics(const OrtEpDevice* device) {
  const OrtMemoryInfo* memory =
      api_.ort->EpDevice_MemoryInfo(device, OrtDeviceMemoryType_DEFAULT);
  if (memory != nullptr) memory = FindMemory(api_.ep->MemoryInfo_GetMemoryDevice(memory));
  if (memory == nullptr) return InvalidArgument("DeinitGraphicsInterop: not a device of ours");
  return graphics_.Close(memory);
}
<% endif %>
<% if external_memory %>

Status Factory::MakeImporter(const OrtEpDevice* device,
                             OrtExternalResourceImporterImpl** importer) {
  *importer = nullptr;
  const OrtMemoryInfo* memory =
      api_.ort->EpDevice_MemoryInfo(device, OrtDeviceMemoryType_DEFAULT);
  if (memory == nullptr || FindMemory(api_.ep->MemoryInfo_GetMemoryDevice(memory)) == nullptr) {
    return InvalidArgument("CreateExternalResourceImporterForDevice: not a device of ours");
  }
  *importer =
      std::make_unique<ResourceImporter>(api_, *runtime_, order(), device, memory).release();
  return Status();
}
<% endif %>

<% if memory_capacity %>
Status Factory::TellCapacity(const OrtEpDevice* /*device*/, OrtDeviceMemoryType kind,
                             uint64_t* total, uint64_t* available) {
  if (runtime_ == nullptr) return Failed("GetDeviceMemoryCapacity: there is no device");
  if (kind != OrtDeviceMemoryType_DEFAULT) {
    return NotImplemented("GetDeviceMemoryCapacity: only of the device's own memory");
  }
  uint64_t all = 0;
  uint64_t unused = 0;
  EP_RETURN_IF_ERROR(runtime_->Capacity(&all, &unused));
  if (total != nullptr) *total = all;
  if (available != nullptr) *available = unused;
  return Status();
}

<% endif %>
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
<% endif %>

}  // namespace <%= ns %>
