<%= banner %>
#pragma once

#include <cstddef>
<% if cuda_library %>
#include <memory>
<% endif %>

#include "gen/api/kernel.h"
#include "gen/api/tensor.h"

namespace <%= ns %> {

// An input or an output of a custom operator.
struct CustomParameter {
  const char* name;
  const char* constraint;  // its type variable; empty for a fixed type
  DType dtype;             // kUndefined where several types are possible
  bool optional;
  bool variadic;  // only the last: any number of tensors of one type, but at least one
};

// A custom operator as its domain declares it. Its kernel is the row of the same name in the kernel
// table: FindKernel(domain, op, since).
struct CustomOpSchema {
  const char* domain;
  const char* op;
  int since;
  const CustomParameter* inputs;
  size_t input_count;
  const CustomParameter* outputs;
  size_t output_count;
  bool elementwise;  // each output has the shape of the inputs, broadcast
  bool computed;     // false: declared only, its kernels are elsewhere
<% if cuda_library %>
  // Makes a kernel for CUDA; null where the library was built without.
  Status (*make_cuda)(const Node& node, std::unique_ptr<Kernel>& kernel);
<% endif %>
};

// The custom operators, sorted by domain, op and version.
struct CustomOpTable {
  const CustomOpSchema* ops;
  size_t count;
};
CustomOpTable CustomOps() noexcept;

// The declaration of what a row computes; null when that is no custom operator.
const CustomOpSchema* FindCustomOp(const KernelRow& row) noexcept;

}  // namespace <%= ns %>
