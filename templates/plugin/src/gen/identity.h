<%= banner %>
#pragma once

#include <array>
#include <cstdint>

namespace <%= ns %> {

// Who this library says it is. The Python package, the manifest and the tests are made from the
// same source, so the names cannot drift apart.
inline constexpr char kProject[] = <%= project | cpp_string %>;
inline constexpr char kEpName[] = <%= ep | cpp_string %>;
inline constexpr char kVendor[] = <%= vendor | cpp_string %>;
inline constexpr uint32_t kVendorId = <%= vendor_id %>;
inline constexpr char kVersion[] = <%= version | cpp_string %>;

// ORT hands provider options over as session configuration entries with this prefix; it writes
// the name of the execution provider in lower case.
inline constexpr char kOptionPrefix[] = <%= option_prefix | cpp_string %>;

// The API level whose features are used, and the oldest runtime that the library loads in.
inline constexpr uint32_t kTargetApi = <%= target %>;
using OrtVersion = std::array<int, 3>;  // compares as numbers: 1.9 is older than 1.24
inline constexpr OrtVersion kMinimumOrt = {<%= minimum | join %>};

}  // namespace <%= ns %>
