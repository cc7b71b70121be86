<%= banner %>
#pragma once

#include <array>
<% if several %>
#include <cstddef>
<% endif %>
#include <cstdint>

namespace <%= ns %> {

// Who this library says it is. The Python package, the manifest and the tests are made from the
// same source, so the names cannot drift apart.
inline constexpr char kProject[] = <%= project | cpp_string %>;
<% if not several %>
inline constexpr char kEpName[] = <%= ep | cpp_string %>;
<% endif %>
inline constexpr char kVendor[] = <%= vendor | cpp_string %>;
inline constexpr uint32_t kVendorId = <%= vendor_id %>;
inline constexpr char kVersion[] = <%= version | cpp_string %>;

<% if several %>
// An execution provider of this library; each has a factory of its own.
struct Identity {
  const char* ep_name;
  // ORT hands provider options over as session configuration entries with this prefix; it writes
  // the name of the execution provider in lower case.
  const char* option_prefix;
  size_t first_rule;  // which of kDeviceRules are those of its devices
  size_t rule_count;
  size_t first_device;  // numbers of devices differ between execution providers, too
};
inline constexpr Identity kIdentities[] = {
<% for each in identities %>
    {<%= each.ep | cpp_string %>, <%= each.option_prefix | cpp_string %>, <%= each.first_rule %>, <%= each.rule_count %>, <%= each.first_device %>},
<% endfor %>
};
<% else %>
// ORT hands provider options over as session configuration entries with this prefix; it writes
// the name of the execution provider in lower case.
inline constexpr char kOptionPrefix[] = <%= option_prefix | cpp_string %>;
<% endif %>

// The API level whose features are used, and the oldest runtime that the library loads in.
inline constexpr uint32_t kTargetApi = <%= target %>;
using OrtVersion = std::array<int, 3>;  // compares as numbers: 1.9 is older than 1.24
inline constexpr OrtVersion kMinimumOrt = {<%= minimum | join %>};

}  // namespace <%= ns %>
