#include "callbacks.h"

namespace shim {

void Escaped(int function, const char* what) {
  FindAt("exception-left-callback", function,
         std::string("an exception left ") + kFunctions[function].name + ": " + what);
}

OrtStatus* AsStatus(int function, const char* what) {
  return NewStatus(std::string("an exception left ") + kFunctions[function].name + ": " + what);
}

}  // namespace shim
