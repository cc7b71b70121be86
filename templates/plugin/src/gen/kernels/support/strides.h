<%= banner %>
#pragma once

#include <cstdint>
#include <vector>

#include "gen/api/tensor.h"

namespace <%= ns %> {

// The distances, in elements, of a dense tensor.
std::vector<int64_t> DenseStrides(const Shape& shape);

// Drops dimensions of one element and joins neighbours that are walked as one. At least one
// dimension is left.
void JoinDims(const Shape& shape, const std::vector<int64_t>& strides, Shape* dims,
              std::vector<int64_t>* steps);

}  // namespace <%= ns %>
