<%= banner %>
#include "gen/api/status.h"

#include <cstring>

namespace <%= ns %> {

Status::Status(StatusCode code, const char* message)
    : code_(code), message_(message, message + std::strlen(message) + 1) {}

}  // namespace <%= ns %>
