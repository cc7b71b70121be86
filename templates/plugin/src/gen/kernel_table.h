<%= banner %>
#pragma once

#include "gen/api/kernel.h"

namespace <%= ns %> {

// Every kernel of this library: what it is for, and how to make one.
KernelTable Kernels() noexcept;

// The row for an operator at one version of its schema; null when there is none.
const KernelRow* FindKernel(const char* domain, const char* op, int since) noexcept;
<% if nhwc %>

// ORT's domain of nodes whose first input and first output have their channels last.
inline constexpr char kNhwcDomain[] = "com.ms.internal.nhwc";

// Is there a kernel for the nodes that ORT makes of the ONNX operator `op` when it converts them?
bool HasNhwcKernel(const char* op) noexcept;

// The row for what ORT makes of a node of that version: ORT may have no such version in its domain,
// and take the newest before it. Null when there is none.
const KernelRow* FindNhwcKernel(const char* op, int since) noexcept;
<% endif %>

}  // namespace <%= ns %>
