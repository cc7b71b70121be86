<%= banner %>
#pragma once

#include "abi/api.h"
#include "gen/api/node.h"

namespace <%= ns %> {

// Looks at an OrtValue without copying its data. `present` is false for an input that was left out
// or that the application did not feed.
Status ViewTensor(const Api& api, const OrtValue* value, Tensor* tensor, bool* present);

// Copies a tensor in host memory.
Status CopyTensor(const Api& api, const OrtValue* value, TensorValue* copy);

}  // namespace <%= ns %>
