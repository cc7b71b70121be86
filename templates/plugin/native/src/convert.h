<%= banner %>
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>

#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "node.h"

// What Python hands over, as kernels read it.
namespace <%= ns %>::native {

// NumPy's arrays. Where the memory is from does not matter: some that a device owns is the host's, too.
using InputArray = nanobind::ndarray<nanobind::ro>;
using OutputArray = nanobind::ndarray<>;

// Raises the exception of the package that stands for the status; does nothing for success.
// `label` says of what the text speaks.
void RaiseIfError(const Status& status, const std::string& label);

// The tensor that an array of the package is: contiguous, on the host. The array must outlive it.
Tensor ViewInput(const InputArray& array);

// Where an output is to be written. Raises unless the array is as `wanted` says.
void* ViewOutput(const OutputArray& array, const MutableTensor& wanted);

// Sets attributes from a list of (name, kind, value); kinds are those of ONNX, in lower case.
void ReadAttributes(const nanobind::list& attributes, CallNode* node);

}  // namespace <%= ns %>::native
