<%= banner %>
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gen/api/status.h"
#include "gen/devices.h"
<% if several %>
#include "gen/identity.h"
<% endif %>

namespace <%= ns %> {

// A piece of hardware that ORT found on this machine.
struct Hardware {
  DeviceType type = DeviceType::kCpu;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  std::vector<std::pair<std::string, std::string>> metadata;  // such as pci_bus_id or LUID
<% if software %>
  bool may_stand_in = false;  // as a CPU for a device: the application allows that
<% endif %>
};

// In words, for the log.
std::string Describe(const Hardware& hardware);

// What FindRule looks for, in words: for people whose hardware it does not find.
<% if several %>
std::string DescribeRules(const Identity& ep);
<% else %>
std::string DescribeRules();
<% endif %>

<% if several %>
// Of the devices of one execution provider:
<% endif %>
// Sets `rule` to the one that `hardware` falls under, or to null when it is not ours. An error
// means that this could not be found out, which is not the same as "not ours": it is logged as a
// warning, and the device is not offered. So is an exception. The text says what could not be
// read, and why: "/dev/npu0: permission denied".
//
// The place for what only the vendor's driver knows: whether it is loaded, how new it is, whether
// the device is in use.
<% if several %>
Status FindRule(const Identity& ep, const Hardware& hardware, const DeviceRule** rule);
<% else %>
Status FindRule(const Hardware& hardware, const DeviceRule** rule);
<% endif %>

}  // namespace <%= ns %>
