<%= banner %>
#pragma once

#include "abi/api.h"
#include "gen/api/status.h"
#include "gen/options.h"

namespace <%= ns %> {

// Reads our provider options out of a session's configuration. Other providers' entries are left
// alone; what the session wants of us and does not get is an error.
Status ReadSessionOptions(const Api& api, const OrtSessionOptions* session, Options* options);

}  // namespace <%= ns %>
