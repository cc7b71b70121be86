<%= banner %>
#include "device/discovery.h"

namespace <%= ns %> {
namespace {

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

Status FindRule(const Hardware& hardware, const DeviceRule** rule) {
  *rule = nullptr;
  for (const DeviceRule& candidate : kDeviceRules) {
    if (Matches(candidate, hardware)) {
      *rule = &candidate;
      break;
    }
  }
  return Status();
}

}  // namespace <%= ns %>
