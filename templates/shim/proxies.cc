#include "proxies.h"

#include <string>

#include "statuses.h"

namespace shim {

void FindArguments(int function, int lacking, int stale) {
  const std::string name = kFunctions[function].name;
  if (lacking >= 0) {
    Find("null-argument", function,
         name + " is called with null for argument " + std::to_string(lacking + 1));
  }
  if (stale >= 0) {
    Find("used-after-release", function,
         name + " is called with a released handle for argument " + std::to_string(stale + 1));
  }
}

void FindTrapped(int function) {
  Find("function-newer-than-runtime", function,
       std::string(kFunctions[function].name) + " is of level " +
           std::to_string(kFunctions[function].since) + ", the runtime of " +
           std::to_string(Set().level.load()));
}

OrtStatus* Refusal(int function, const char* why) {
  OrtStatus* status = NewStatus(std::string(kFunctions[function].name) + " was called " + why);
  Made(Kind::kStatus, status, function);
  return status;
}

}  // namespace shim
