<%= banner %>
#pragma once

#include "gen/api/kernel.h"

namespace <%= ns %> {

// Every kernel of this library: what it is for, and how to make one.
KernelTable Kernels() noexcept;

}  // namespace <%= ns %>
