<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>

namespace <%= ns %> {

// CRC-64/XZ: finds every change of up to 64 bits in a row, and misses one in 2^64 of the others. No
// protection against somebody who means harm.
uint64_t Checksum(const void* data, size_t size) noexcept;

}  // namespace <%= ns %>
