<%= banner %>
#pragma once

#include <onnxruntime_cxx_api.h>

namespace sample {

// Makes sessions remember which execution provider gets which nodes.
void RecordPlacement(Ort::SessionOptions& options);

// Prints them: for each execution provider how many nodes, and of which operators. These are the
// model's nodes after the first optimizations; later ones may fuse some.
void PrintPlacement(const Ort::Session& session);

}  // namespace sample
