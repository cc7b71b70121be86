<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/tensor.h"

// Single numbers of a type that is known only at run time.
namespace <%= ns %> {

// Element `i` of a tensor of numbers; fractions are cut off. 0 of another type.
int64_t IntegerAt(const Tensor& tensor, int64_t i);

// Puts a 1 of a type of at most 8 bytes at `to`.
void WriteOne(DType dtype, void* to);

}  // namespace <%= ns %>
