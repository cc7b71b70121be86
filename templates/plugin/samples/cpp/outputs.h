<%= banner %>
#pragma once

#include <onnxruntime_cxx_api.h>

#include <string>
#include <vector>

#include "arguments.h"

namespace sample {

// Throws Failure when the command line names an output that the model does not have.
void CheckOutputNames(const std::vector<std::string>& names, const Arguments& arguments);

// Prints every output's shape and first values, and writes those that the command line names.
void ShowOutputs(const std::vector<std::string>& names, const std::vector<Ort::Value>& values,
                 const Arguments& arguments);

}  // namespace sample
