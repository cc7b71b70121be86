<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
<% if several %>

#include "gen/identity.h"
<% endif %>

namespace <%= ns %> {

enum class DeviceType { kCpu, kGpu, kNpu };  // the numbers are ORT's

struct KeyValue {
  const char* key;
  const char* value;
};

// A kind of device that the library drives: how to recognise one among the machine's hardware, and
// what to publish about it.
struct DeviceRule {
  const char* name;
  DeviceType type;
  bool any_vendor;
  uint32_t vendor_id;          // of the hardware; unless any_vendor
  const uint32_t* device_ids;  // null: any
  size_t device_id_count;
  const KeyValue* required;  // hardware metadata that must be there
  size_t required_count;
<% if metadata %>
  const KeyValue* metadata;  // published with the device
  size_t metadata_count;
<% endif %>
<% if software %>
  bool allow_software;  // the machine's CPU stands in where the application allows that
<% endif %>
  bool allow_virtual;  // stands in for missing hardware where the application allows that
};

<% for device in devices %>
<% if device.ids %>
inline constexpr uint32_t <%= device.ids_name %>[] = {<%= device.ids | join %>};
<% endif %>
<% if device.required %>
inline constexpr KeyValue <%= device.required_name %>[] = {
<% for pair in device.required %>
    {<%= pair[0] | cpp_string %>, <%= pair[1] | cpp_string %>},
<% endfor %>
};
<% endif %>
<% if device.metadata %>
inline constexpr KeyValue <%= device.metadata_name %>[] = {
<% for pair in device.metadata %>
    {<%= pair[0] | cpp_string %>, <%= pair[1] | cpp_string %>},
<% endfor %>
};
<% endif %>
<% endfor %>
inline constexpr DeviceRule kDeviceRules[] = {
<% for device in devices %>
    {<%= device.name | cpp_string %>, DeviceType::<%= device.type %>, <%= device.any_vendor | cpp_bool %>, <%= device.vendor_id %>,
     <%= device.ids_name if device.ids else "nullptr" %>, <%= device.ids | length %>,
     <%= device.required_name if device.required else "nullptr" %>, <%= device.required | length %>,
<% if metadata %>
     <%= device.metadata_name if device.metadata else "nullptr" %>, <%= device.metadata | length %>,
<% endif %>
     <% if software %><%= device.allow_software | cpp_bool %>, <% endif %><%= device.allow_virtual | cpp_bool %>},
<% endfor %>
};
<% if several %>

// The rules of one execution provider.
class RulesOf {
 public:
  explicit RulesOf(const Identity& identity) : identity_(identity) {}
  const DeviceRule* begin() const { return kDeviceRules + identity_.first_rule; }
  const DeviceRule* end() const { return begin() + identity_.rule_count; }

 private:
  const Identity& identity_;
};
<% endif %>

}  // namespace <%= ns %>
