<%= banner %>
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gen/api/status.h"
#include "gen/devices.h"

namespace <%= ns %> {

// A piece of hardware that ORT found on this machine.
struct Hardware {
  DeviceType type = DeviceType::kCpu;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  std::vector<std::pair<std::string, std::string>> metadata;  // such as pci_bus_id or LUID
};

// Sets `rule` to the one that `hardware` falls under, or to null when it is not ours. An error
// means that this could not be found out, which is not the same as "not ours": it is logged as a
// warning, and the device is not offered.
//
// The place for what only the vendor's driver knows: whether it is loaded, how new it is, whether
// the device is in use.
Status FindRule(const Hardware& hardware, const DeviceRule** rule);

}  // namespace <%= ns %>
