#include "statuses.h"

#include "handles.h"
#include "state.h"
#include "tables.h"

namespace shim {

OrtStatus* NewStatus(const std::string& text) {
  constexpr OrtErrorCode kFail = 1;
  return Real<OrtApi>()->CreateStatus(kFail, text.c_str());
}

OrtStatus* Leaving(OrtStatus* status, int function) {
  if (status == nullptr) return nullptr;
  const std::string by = kFunctions[function].name;
  if (WasReleased(Kind::kStatus, status)) {
    Find("returned-released-status", function, by + " returns a status that was released before");
    return NewStatus(by + " returned a status that was released before");
  }
  Given(Kind::kStatus, status);
  const char* text = Real<OrtApi>()->GetErrorMessage(status);
  if (text == nullptr || *text == '\0') {
    Find("error-without-text", function, by + " returns an error without a text");
  }
  return status;
}

}  // namespace shim
