// Statuses: made for the runtime, and looked at on their way there.
#pragma once

#include <string>

#include "functions.h"

namespace shim {

// A new status of the runtime's, which nobody owns yet.
OrtStatus* NewStatus(const std::string& text);

// The target answers the runtime with that status: looks at it, and hands it over. What comes back
// is fit for the runtime.
OrtStatus* Leaving(OrtStatus* status, int function);

}  // namespace shim
