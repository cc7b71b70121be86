<%= banner %>
#pragma once

#include <cstddef>

#include "gen/api/status.h"
#include "gen/api/tensor.h"

// Texts of errors, out of line so that kernels stay cheap to compile.
namespace <%= ns %> {

// The kernel table lets no such type through: whoever sees this called the kernel without asking it.
Status UnsupportedType(const char* op, DType dtype);

// The shape of an input does not fit: `what` says why.
Status BadShape(const char* op, size_t input, const Shape& shape, const char* what);

}  // namespace <%= ns %>
