#include "callbacks.h"

namespace shim {

void Escaped(int function, const char* what) {
  FindAt("exception-left-callback", function,
         std::string("an exception left ") + kFunctions[function].name + ": " + what);
}

void LacksResult(int function) {
  Find("null-result", function, std::string(kFunctions[function].name) + " succeeds with null");
}

const char* Readable(int function, const char* text) {
  if (text != nullptr || !kFunctions[function].is_needed) return text;
  Find("null-result", function, std::string(kFunctions[function].name) + " returns null");
  return "";
}

OrtStatus* AsStatus(int function, const char* what) {
  return NewStatus(std::string("an exception left ") + kFunctions[function].name + ": " + what);
}

}  // namespace shim
