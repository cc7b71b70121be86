<%= banner %>
#pragma once

#include "abi/api.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// The outcome of an ORT call as ours; takes the argument over.
Status FromOrt(const Api& api, OrtStatus* status);

// Our status as one that ORT will own; null for success. For guards only.
OrtStatus* ToOrt(const OrtApi& ort, const Status& status) noexcept;

}  // namespace <%= ns %>

// Returns from the enclosing function when a call of ORT fails: EP_ORT(api_, ort->Node_GetName(...)).
#define EP_ORT(api, call) EP_RETURN_IF_ERROR(::<%= ns %>::FromOrt((api), (api).call))
