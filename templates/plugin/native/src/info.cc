<%= banner %>
#include "info.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
<% if several %>
#include <cstring>
<% endif %>
#include <map>
#include <string>

<% if device_memory %>
#include "call.h"
<% endif %>
#include "convert.h"
#include "device/discovery.h"
#include "gen/devices.h"
#include "gen/identity.h"
#include "gen/kernel_table.h"
<% if simulated_queues %>
#if defined(EP_TEST_HOOKS)
#include "test_hooks.h"
#endif
<% endif %>

namespace nb = nanobind;

namespace <%= ns %>::native {
namespace {

std::string Compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "gcc " __VERSION__;
#elif defined(_MSC_VER)
  return "msvc " + std::to_string(_MSC_VER);
#else
  return "unknown";
#endif
}

nb::dict DescribeRow(const KernelRow& row) {
  nb::dict types;
  for (size_t i = 0; i < row.rule_count; ++i) {
    const TypeRule& rule = row.rules[i];
    if (*rule.constraint == '\0') continue;  // the schema fixes the type
    nb::list names;
    for (size_t j = 0; j < rule.count; ++j) names.append(NameOf(rule.types[j]));
    types[rule.constraint] = names;
  }
  nb::dict kernel;
  kernel["domain"] = row.domain;
  kernel["op"] = row.op;
  kernel["since"] = row.since;
  kernel["types"] = types;
  kernel["ready"] = row.ready;
  return kernel;
}

nb::dict BuildInfo() {
  nb::list providers;
<% if several %>
  for (const Identity& identity : kIdentities) providers.append(identity.ep_name);
<% else %>
  providers.append(kEpName);
<% endif %>
  nb::list kernels;
  const KernelTable table = Kernels();
  for (size_t i = 0; i < table.count; ++i) kernels.append(DescribeRow(table.rows[i]));
  nb::dict info;
  info["project"] = kProject;
  info["eps"] = providers;
  info["vendor"] = kVendor;
  info["vendor_id"] = kVendorId;
  info["version"] = kVersion;
  info["ort_minimum"] = std::to_string(kMinimumOrt[0]) + "." + std::to_string(kMinimumOrt[1]) +
                        "." + std::to_string(kMinimumOrt[2]);
  info["ort_target"] = kTargetApi;
  info["compiler"] = Compiler();
  info["paradigm"] = <%= paradigm | cpp_string %>;
  info["kernels"] = kernels;
  return info;
}

const char* NameOf(DeviceType type) {
  switch (type) {
    case DeviceType::kCpu: return "cpu";
    case DeviceType::kGpu: return "gpu";
    case DeviceType::kNpu: return "npu";
  }
  return "unknown";
}

nb::dict DescribeRule(const DeviceRule& rule, const char* provider) {
  nb::list ids;
  for (size_t i = 0; i < rule.device_id_count; ++i) ids.append(rule.device_ids[i]);
  nb::dict required;
  for (size_t i = 0; i < rule.required_count; ++i) {
    required[rule.required[i].key] = rule.required[i].value;
  }
  nb::dict device;
  device["name"] = rule.name;
  device["ep"] = provider;
  device["type"] = NameOf(rule.type);
  device["vendor_id"] = rule.any_vendor ? nb::none() : nb::object(nb::int_(rule.vendor_id));
  device["device_ids"] = ids;
  device["metadata"] = required;
  device["virtual"] = rule.allow_virtual;
  return device;
}

<% if device_memory %>
// What the device's own runtime says: whether it opens<% if memory_capacity or resource_accounting %>, and how much memory there is<% endif %>.
nb::dict DescribeRuntime() {
  nb::dict found;
  Runtime* runtime = nullptr;
  Status status = OpenDevice(&runtime);
<% if memory_capacity or resource_accounting %>
  uint64_t total = 0;
  uint64_t available = 0;
  if (status.ok()) status = runtime->Capacity(&total, &available);
  found["memory_total"] = total;
  found["memory_available"] = available;
<% endif %>
  found["opens"] = status.ok();
  found["error"] = status.message();
  return found;
}

<% endif %>
nb::list Devices() {
  nb::list devices;
<% if several %>
  for (const Identity& identity : kIdentities) {
    for (const DeviceRule& rule : RulesOf(identity)) {
      devices.append(DescribeRule(rule, identity.ep_name));
    }
  }
<% else %>
  for (const DeviceRule& rule : kDeviceRules) devices.append(DescribeRule(rule, kEpName));
<% endif %>
<% if device_memory %>
  const nb::dict runtime = DescribeRuntime();
  for (nb::handle device : devices) nb::borrow<nb::dict>(device)["runtime"] = runtime;
<% endif %>
  return devices;
}

// The device that a piece of hardware would be; None when it is not one of ours.
nb::object MatchDevice(const std::string& type, uint32_t vendor_id, uint32_t device_id,
                       const std::map<std::string, std::string>& metadata) {
  Hardware hardware;
  hardware.type = type == "gpu"   ? DeviceType::kGpu
                  : type == "npu" ? DeviceType::kNpu
                                  : DeviceType::kCpu;
  hardware.vendor_id = vendor_id;
  hardware.device_id = device_id;
  hardware.metadata.assign(metadata.begin(), metadata.end());
  const DeviceRule* rule = nullptr;
<% if several %>
  for (const Identity& identity : kIdentities) {
    RaiseIfError(FindRule(identity, hardware, &rule), "");
    if (rule != nullptr) return DescribeRule(*rule, identity.ep_name);
  }
  return nb::none();
<% else %>
  RaiseIfError(FindRule(hardware, &rule), "");
  return rule != nullptr ? nb::object(DescribeRule(*rule, kEpName)) : nb::none();
<% endif %>
}

<% if simulated_queues %>
#if defined(EP_TEST_HOOKS)
nb::dict Counters() {
  constexpr const char* kNames[] = {
      "launches", "copies", "copies_to_device", "copies_to_host", "copies_on_device",
      "copied_bytes", "fills", "records", "device_waits", "synchronizations", "queued", "begun",
      "host_waits", "allocations", "frees", "host_allocations", "host_frees", "left", "streams",
      "events", "bytes_in_use", "host_bytes_in_use"};
  nb::dict counters;
  for (const char* name : kNames) counters[name] = EpTestHooks(1)->counter(kEpEveryStream, name);
  return counters;
}
#endif

<% endif %>
}  // namespace

void DefineInfo(nb::module_& module) {
  module.def("build_info", &BuildInfo);
  module.def("devices", &Devices);
  module.def("match_device", &MatchDevice, nb::arg("type"), nb::arg("vendor_id"),
             nb::arg("device_id"), nb::arg("metadata"));
<% if simulated_queues %>
#if defined(EP_TEST_HOOKS)
  module.def("counters", &Counters);
#endif
<% endif %>
}

}  // namespace <%= ns %>::native
