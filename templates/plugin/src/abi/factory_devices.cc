<%= banner %>
// Which devices the factory offers. The rest of it is in factory.cc.

<% if virtual %>
#include <onnxruntime_env_config_keys.h>
#include <onnxruntime_ep_device_ep_metadata_keys.h>

<% endif %>
#include "abi/factory.h"
#include "abi/guard.h"
#include "device/discovery.h"
<% if options %>
#include "gen/options.h"
<% endif %>

namespace <%= ns %> {
namespace {

Hardware Read(const OrtApi& ort, const OrtHardwareDevice* device) {
  Hardware hardware;
  // A type that is newer than this code is none of ours, so it matches nothing.
  hardware.type = static_cast<DeviceType>(ort.HardwareDevice_Type(device));
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

Status Factory::ListDevices(const OrtHardwareDevice* const* hardware, size_t count,
                            OrtEpDevice** devices, size_t max_devices, size_t* device_count) {
  *device_count = 0;
<% if device_memory %>
  if (runtime_ == nullptr) return Status();
<% endif %>
  Made made;
<% if cuda %>
  made.room = max_devices > 0 ? 1 : 0;  // the runtime drives one GPU: the first that CUDA lists
<% else %>
  made.room = max_devices;
<% endif %>
  std::string seen = count == 0 ? " nothing," : "";
  for (size_t i = 0; i < count; ++i) {
<% if software %>
    Hardware it = Read(*api_.ort, hardware[i]);
    EP_RETURN_IF_ERROR(AllowsSoftware(&it.may_stand_in));
<% else %>
    const Hardware it = Read(*api_.ort, hardware[i]);
<% endif %>
    const DeviceRule* rule = nullptr;
    // One device that cannot be looked at hides no other, whatever the look at it throws.
    const Status look = FromOrt(api_, GuardStatus(*api_.ort, [&] { return FindRule(<% if several %>*api_.identity, <% endif %>it, &rule); }));
    seen += " " + Describe(it) + (look.ok() ? "," : " (could not look at it),");
    if (!look.ok()) logger_.Warn("could not look at " + Describe(it) + ": " + look.message());
    if (look.ok() && rule != nullptr) EP_RETURN_IF_ERROR(AddDevice(*rule, hardware[i], &made));
  }
<% if virtual %>
  EP_RETURN_IF_ERROR(AddVirtualDevices(&made));
<% endif %>
  if (made.devices.empty()) logger_.Warn("no device: found" + seen + " wanted " + DescribeRules(<% if several %>*api_.identity<% endif %>));
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
  if (made->devices.size() == made->room) {
    logger_.Warn("there is no room to offer " + Describe(Read(*api_.ort, hardware)));
    return Status();
  }
<% if metadata %>
  KeyValuePairs metadata(*api_.ort);
  api_.ort->CreateKeyValuePairs(metadata.out());
  for (size_t i = 0; i < rule.metadata_count; ++i) {
    api_.ort->AddKeyValuePair(metadata.get(), rule.metadata[i].key, rule.metadata[i].value);
  }
<% if contexts and weightless != "none" and target >= 29 %>
  for (const WeightlessKey& key : kWeightlessKeys) {
    if (api_.level >= key.since) api_.ort->AddKeyValuePair(metadata.get(), key.key, key.value);
  }
<% endif %>
<% if indexed %>
  // Hardware that is there twice can look the same in everything else.
  const std::string index = std::to_string(made->devices.size());
  api_.ort->AddKeyValuePair(metadata.get(), "device_index", index.c_str());
<% endif %>
<% if software %>
  if (rule.type != DeviceType::kCpu &&
      api_.ort->HardwareDevice_Type(hardware) == OrtHardwareDeviceType_CPU) {
    api_.ort->AddKeyValuePair(metadata.get(), "software", "1");
  }
<% endif %>
<% endif %>
<% if options %>
  KeyValuePairs options(*api_.ort);
  api_.ort->CreateKeyValuePairs(options.out());
  for (const OptionDefault& option : kOptionDefaults) {
    api_.ort->AddKeyValuePair(options.get(), option.key, option.value);
  }
<% endif %>
  EpDevice device(*api_.ep);
  EP_ORT(api_, ep->CreateEpDevice(this, hardware, <%= "metadata.get()" if metadata else "nullptr" %>, <%= "options.get()" if options else "nullptr" %>, device.out()));
<% if memories %>
  EP_RETURN_IF_ERROR(memories_->Describe(rule, hardware,
                                         <% if several %>api_.identity->first_device + <% endif %>memories_->device_count() + made->memory.size(),
                                         device.get(), &made->memory));
<% elif device_memory %>
  const OrtMemoryInfoDeviceType type =
      rule.type == DeviceType::kNpu ? OrtMemoryInfoDeviceType_NPU : OrtMemoryInfoDeviceType_GPU;
  const auto ordinal = static_cast<int32_t>(<% if several %>api_.identity->first_device + <% endif %>memory_.size() + made->memory.size());
  MemoryInfo info(*api_.ort);
  EP_ORT(api_, ort->CreateMemoryInfo_V2(<%= "api_.identity->ep_name" if several else "kEpName" %>, type, kVendorId, ordinal,
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
  for (const DeviceRule& rule : <%= "RulesOf(*api_.identity)" if several else "kDeviceRules" %>) {
    if (!rule.allow_virtual) continue;
    const auto type = static_cast<OrtHardwareDeviceType>(rule.type);
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
<% if software %>

Status Factory::AllowsSoftware(bool* allowed) const {
  KeyValuePairs entries(*api_.ort);
  EP_ORT(api_, ep->GetEnvConfigEntries(entries.out()));
  *allowed = false;
  // ORT's headers give either prefix to what is meant for one execution provider.
  for (const char* prefix : {"ep_factory.", "ep."}) {
    const std::string key = std::string(prefix) + <%= "api_.identity->ep_name" if several else "kEpName" %> + ".allow_software";
    const char* value = api_.ort->GetKeyValue(entries.get(), key.c_str());
    *allowed = *allowed || (value != nullptr && std::string(value) == "1");
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
<% if software %>
  Hardware found = Read(*api_.ort, hardware);
  EP_RETURN_IF_ERROR(AllowsSoftware(&found.may_stand_in));
  return FindRule(<% if several %>*api_.identity, <% endif %>found, rule);
<% else %>
  return FindRule(<% if several %>*api_.identity, <% endif %>Read(*api_.ort, hardware), rule);
<% endif %>
}
<% endif %>

}  // namespace <%= ns %>
