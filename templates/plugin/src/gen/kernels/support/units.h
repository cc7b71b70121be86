<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/status.h"

// Device code that only moves bits moves as many at a time as lie together.
namespace <%= ns %> {

// The most that a thread reads or writes at once.
struct alignas(16) Wide {
  uint64_t low;
  uint64_t high;
};

// The address, for WidestUnit.
inline uint64_t AddressOf(const void* memory) { return reinterpret_cast<uintptr_t>(memory); }

// The largest unit, in bytes, that all of some addresses, lengths and distances are multiples of;
// `all` is these, or-ed together.
inline uint64_t WidestUnit(uint64_t all) {
  all |= sizeof(Wide);
  return all & (~all + 1);
}

// Calls work(T()) with the type of a unit of `bytes` bytes.
template <class Work>
Status WithUnit(uint64_t bytes, Work work) {
  switch (bytes) {
    case 16:
      return work(Wide());
    case 8:
      return work(uint64_t());
    case 4:
      return work(uint32_t());
    case 2:
      return work(uint16_t());
    default:
      return work(uint8_t());
  }
}

}  // namespace <%= ns %>
