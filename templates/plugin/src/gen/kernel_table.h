<%= banner %>
#pragma once

#include "gen/api/kernel.h"

namespace <%= ns %> {

// Every kernel of this library: what it is for, and how to make one.
KernelTable Kernels() noexcept;

// The row for an operator at one version of its schema; null when there is none.
const KernelRow* FindKernel(const char* domain, const char* op, int since) noexcept;

}  // namespace <%= ns %>
