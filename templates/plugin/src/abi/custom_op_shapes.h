<%= banner %>
#pragma once

#include <atomic>
#include <cstdint>

#include "abi/api.h"
#include "gen/api/status.h"
#include "gen/custom_ops.h"

namespace <%= ns %> {

// Tells ORT the element types and, as far as they are known, the shapes of a node's outputs. ORT
// takes an error as "nothing is known". `unknown_dims` counts the dimensions that nobody knows: each
// gets a name of its own, since ORT takes those of one name to be equal.
Status InferOutputs(const Api& api, const CustomOpSchema& schema, OrtShapeInferContext* context,
                    std::atomic<uint64_t>* unknown_dims);

}  // namespace <%= ns %>
