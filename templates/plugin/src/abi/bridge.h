<%= banner %>
#pragma once

#include <string>

#include "abi/api.h"
#include "gen/api/node.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"

namespace <%= ns %> {

// An error of ORT's as ours; takes the argument over.
Status ErrorFromOrt(const Api& api, OrtStatus* status);

// The outcome of an ORT call as ours; takes the argument over.
inline Status FromOrt(const Api& api, OrtStatus* status) {
  return status == nullptr ? Status() : ErrorFromOrt(api, status);
}

// Our status as one that ORT will own; null for success. For guards only.
OrtStatus* ToOrt(const OrtApi& ort, const Status& status) noexcept;

// A text that `call` writes with its terminator, once it has been asked for the size.
template <class Function, class... Args>
Status ReadText(const Api& api, std::string* text, Function call, Args... args) {
  size_t size = 0;
  EP_RETURN_IF_ERROR(FromOrt(api, call(args..., nullptr, &size)));
  std::string buffer(size, '\0');
  EP_RETURN_IF_ERROR(FromOrt(api, call(args..., buffer.data(), &size)));
  *text = buffer.c_str();
  return Status();
}

// Looks at a tensor without copying its data. The type is kUndefined for an input that was left out
// or not fed, for an output that nobody wants, and for a value that is no tensor.
Status ViewTensor(const Api& api, const OrtValue* value, Tensor* tensor);
<% if tensor_attributes %>

// Copies a tensor that lies in host memory.
Status CopyTensor(const Api& api, const OrtValue* value, TensorValue* copy);
<% endif %>

}  // namespace <%= ns %>

// Returns from the enclosing function when ORT fails: EP_ORT(api_, ort->Node_GetName(node, &name)).
#define EP_ORT(api, call) EP_RETURN_IF_ERROR(::<%= ns %>::FromOrt((api), (api).call))
