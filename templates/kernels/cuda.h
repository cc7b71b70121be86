<%= banner %>
#pragma once

#include "<%= k.header %>"

namespace <%= ns %>::cuda {

// Whether the library of custom operators offers <%= k.label | cpp_comment %> to ONNX Runtime's CUDA execution provider.
inline constexpr bool kReadyCuda<%= k.op %> = <%= (k.expression is not none) | cpp_bool %>;

// The op on tensors in the memory of a CUDA device: all but Compute is as on the host.
struct <%= k.attrs %> : <%= ns %>::<%= k.attrs %> {};

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec);

}  // namespace <%= ns %>::cuda
