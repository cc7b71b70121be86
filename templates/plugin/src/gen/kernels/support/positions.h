<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gen/api/status.h"
#include "gen/api/tensor.h"

// Indices that a model computes, checked and counted from the front.
namespace <%= ns %> {

// The elements of `indices`, of int32 or int64, as positions among `dim` elements. A negative one
// counts from the end.
Status ReadPositions(const Tensor& indices, int64_t dim, std::vector<int64_t>* positions);

// The last axis of `indices` has tuples of int64, which index the axes of `shape` from `first` on.
// Gives the number of each tuple's slice among all slices that such tuples can name.
Status ReadTuples(const Tensor& indices, const Shape& shape, size_t first, std::vector<int64_t>* slices);

}  // namespace <%= ns %>
