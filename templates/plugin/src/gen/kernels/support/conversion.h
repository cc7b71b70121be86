<%= banner %>
#pragma once

#include "gen/api/exec.h"
#include "gen/api/tensor.h"
#include "gen/kernels/support/small_floats.h"

// Conversion between any two element types that are numbers or bool, also those that C++ has none
// for.
namespace <%= ns %> {

// Converts all of x to the type of y, which has as many elements; `how` counts where that is a small
// float. False where one of the types is none of those.
bool ConvertElements(const Tensor& x, SmallFloat how, const MutableTensor& y, Exec& exec);
<% if small_types %>

// Is it a float of 16 bits or less, or an integer smaller than a byte?
constexpr bool IsSmall(DType type) noexcept { return IsSmallFloat(type) || BitsOf(type) < 8; }

// Puts the numbers of a tensor, which it has to have, as float32 in the place of the tensor.
Status ConvertToFloat(Tensor* tensor, Exec& exec);
<% endif %>

}  // namespace <%= ns %>
