<%= banner %>
#include "device/discovery.h"

#include <cstdio>
<% if software %>

#include "gen/identity.h"
<% endif %>

namespace <%= ns %> {
namespace {

std::string NameOf(DeviceType type) {
  switch (type) {
    case DeviceType::kCpu: return "CPU";
    case DeviceType::kGpu: return "GPU";
    case DeviceType::kNpu: return "NPU";
  }
  return "a device of type " + std::to_string(static_cast<int>(type));
}

std::string Hex(uint32_t number) {
  char text[16] = "";
  std::snprintf(text, sizeof(text), "0x%04X", number);
  return text;
}

bool HasDeviceId(const DeviceRule& rule, uint32_t device_id) {
  if (rule.device_id_count == 0) return true;
  for (size_t i = 0; i < rule.device_id_count; ++i) {
    if (rule.device_ids[i] == device_id) return true;
  }
  return false;
}

bool HasMetadata(const Hardware& hardware, const KeyValue& required) {
  for (const auto& [key, value] : hardware.metadata) {
    if (key == required.key) return value == required.value;
  }
  return false;
}

bool Matches(const DeviceRule& rule, const Hardware& hardware) {
  if (rule.type != hardware.type) return false;
  if (!rule.any_vendor && rule.vendor_id != hardware.vendor_id) return false;
  if (!HasDeviceId(rule, hardware.device_id)) return false;
  for (size_t i = 0; i < rule.required_count; ++i) {
    if (!HasMetadata(hardware, rule.required[i])) return false;
  }
  return true;
}

}  // namespace

<% set rules = "RulesOf(ep)" if several else "kDeviceRules" %>
<% if several %>
Status FindRule(const Identity& ep, const Hardware& hardware, const DeviceRule** rule) {
<% else %>
Status FindRule(const Hardware& hardware, const DeviceRule** rule) {
<% endif %>
  *rule = nullptr;
  for (const DeviceRule& candidate : <%= rules %>) {
    if (Matches(candidate, hardware)) {
      *rule = &candidate;
      return Status();
    }
  }
<% if software %>
  if (!hardware.may_stand_in || hardware.type != DeviceType::kCpu) return Status();
  for (const DeviceRule& candidate : <%= rules %>) {
    if (candidate.allow_software) {
      *rule = &candidate;
      return Status();
    }
  }
<% endif %>
  return Status();
}

std::string Describe(const Hardware& hardware) {
  return NameOf(hardware.type) + " " + Hex(hardware.vendor_id) + ":" + Hex(hardware.device_id);
}

<% if several %>
std::string DescribeRules(const Identity& ep) {
<% else %>
std::string DescribeRules() {
<% endif %>
  std::string text;
  for (const DeviceRule& rule : <%= rules %>) {
    text += (text.empty() ? "" : ", ") + std::string(rule.name) + " (" + NameOf(rule.type) + " of " +
            (rule.any_vendor ? "any vendor" : "vendor " + Hex(rule.vendor_id));
    for (size_t i = 0; i < rule.device_id_count; ++i) {
      text += (i == 0 ? ", device " : " or ") + Hex(rule.device_ids[i]);
    }
    for (size_t i = 0; i < rule.required_count; ++i) {
      text += std::string(", ") + rule.required[i].key + "=" + rule.required[i].value;
    }
<% if software %>
    if (rule.allow_software) {
      text += std::string("; the CPU if the environment's ep_factory.") + <%= "ep.ep_name" if several else "kEpName" %> +
              ".allow_software is 1";
    }
<% endif %>
<% if virtual %>
    if (rule.allow_virtual) text += "; a virtual one if the registration's name ends in .virtual";
<% endif %>
    text += ")";
  }
  return text;
}

}  // namespace <%= ns %>
