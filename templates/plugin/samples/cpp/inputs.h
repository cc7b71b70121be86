<%= banner %>
#pragma once

#include <onnxruntime_cxx_api.h>

#include <string>
#include <vector>

#include "arguments.h"

namespace sample {

// The inputs of a model, ready to run; they own their memory.
struct Inputs {
  std::vector<std::string> names;
  std::vector<Ort::Value> values;
};

// Reads the arrays that the command line names, makes the other inputs from a pattern, and prints
// what each is. Throws Failure for names that the model does not have, and for arrays that do not
// fit it.
Inputs MakeInputs(const Ort::Session& session, const Arguments& arguments);

}  // namespace sample
