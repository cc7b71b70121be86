<%= banner %>
#pragma once

#include "abi/api.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// Reads MAJOR.MINOR.PATCH, all three of them numbers and nothing else; false for any other text.
bool ParseVersion(const char* text, OrtVersion* version) noexcept;

// Fills `api` with the tables of the runtime behind `base`. A runtime that is too old, or whose
// version cannot be read, is an error that names both versions.
Status Negotiate(const OrtApiBase& base, Api* api);

}  // namespace <%= ns %>
