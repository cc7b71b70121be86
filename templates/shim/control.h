// Commands from outside: what was noted, and what is to happen.
#pragma once

#include <string>

namespace shim {

// The answer to a command, as JSON; {"error": ...} to one that is none.
std::string Answer(const std::string& command);

}  // namespace shim
