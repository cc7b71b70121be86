<%= banner %>
#pragma once

#include <string_view>

#include "abi/api.h"
#include "gen/api/kernel.h"

namespace <%= ns %> {

// Operators whose nodes have graphs of their own. Their kernels are ONNX Runtime's, which run those
// graphs as part of the session; what they need of an execution provider are a few copies.

// The operators. A row makes no kernel by itself: see FindMaker.
KernelTable ControlFlow() noexcept;

// Is `op`, of ONNX's own domain, one of them?
bool IsControlFlow(std::string_view domain, std::string_view op) noexcept;

// What makes the kernels of a row of ControlFlow(), for ORT. Its state is the row's KernelEntry.
OrtKernelCreateFunc FindMaker(const KernelRow& row) noexcept;

}  // namespace <%= ns %>
