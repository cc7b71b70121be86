<%= banner %>
#pragma once

#include <cstddef>
#include <string>

#include "abi/api.h"
#include "gen/devices.h"

namespace <%= ns %> {

// What ORT keeps in a compiled model so that it can ask, before anything is loaded, whether the
// model fits: who compiled it, and for which device.
std::string CompatibilityInfo(const DeviceRule& rule);

// Can data of version `version` be read by this one? Versions of one major number are, and while
// it is 0, those of one minor number.
bool IsSameSeries(const std::string& version);

// The verdict on a compiled model that says `info` of itself. `rules` are those of the devices
// that it would run on, null for one that is not ours. ORT may use any of them, so the verdict is
// the worst; with no devices only the device is left out of account. In this order:
//   nothing, or what another library wrote            not applicable
//   what nobody wrote, another format, another device unsupported
//   this very version                                 optimal
//   a version whose data can be read                  better compiled again
//   any other version                                 unsupported
OrtCompiledModelCompatibility Judge(const std::string& info, const DeviceRule* const* rules,
                                    size_t count);
<% if select_candidate %>

// The best of several compiled models for a device that falls under `rule`, by its index; of equal
// ones the first. SIZE_MAX when none fits. A model of several parts is as good as its worst part.
size_t SelectCandidate(const OrtApi& ort, const OrtKeyValuePairs* const* candidates, size_t count,
                       const DeviceRule* rule);
<% endif %>

}  // namespace <%= ns %>
