<%= banner %>
#pragma once

#include "abi/api.h"
#include "gen/api/node.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"

namespace <%= ns %> {

// The outcome of an ORT call as ours; takes the argument over.
Status FromOrt(const Api& api, OrtStatus* status);

// Our status as one that ORT will own; null for success. For guards only.
OrtStatus* ToOrt(const OrtApi& ort, const Status& status) noexcept;

// Looks at a tensor without copying its data. The type stays kUndefined for an input that was left
// out or not fed, and for an output that nobody wants.
Status ViewTensor(const Api& api, const OrtValue* value, Tensor* tensor);
<% if tensor_attributes %>

// Copies a tensor that lies in host memory.
Status CopyTensor(const Api& api, const OrtValue* value, TensorValue* copy);
<% endif %>

}  // namespace <%= ns %>

// Returns from the enclosing function when ORT fails: EP_ORT(api_, ort->Node_GetName(node, &name)).
#define EP_ORT(api, call) EP_RETURN_IF_ERROR(::<%= ns %>::FromOrt((api), (api).call))
