<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gen/api/kernel.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"

namespace <%= ns %> {

// Whether a mask of a row or of a rule names a position. The last bit stands for all that follow.
constexpr bool Names(uint64_t mask, size_t position) noexcept {
  return (mask >> (position < 63 ? position : 63) & 1) != 0;
}

// Fails unless a kernel of `row` can be called with these element types, by position; kUndefined
// stands for what was left out. The same rules hold for a node of a model and for one that comes
// out of a file, so a kernel may rely on them: what must be there is there, every type is one that
// the row lists, and all positions of a constraint have one type.
Status CheckSignature(const KernelRow& row, const std::vector<DType>& inputs,
                      const std::vector<DType>& outputs);

}  // namespace <%= ns %>
