<%= banner %>
#pragma once

#include <string>

#include "abi/api.h"

namespace <%= ns %> {

// Writes to ORT's log: the default logger while no session is concerned, else the session's.
class Logger {
 public:
  Logger(const Api& api, const OrtLogger* sink) noexcept : ort_(api.ort), sink_(sink) {}

  void Log(OrtLoggingLevel level, const char* where, const std::string& text) const noexcept {
    if (sink_ == nullptr) return;
    // ORT wants a file for the line's head; the library's name says more than one of our sources.
    const ORTCHAR_T* file = ORT_TSTR(<%= library | cpp_string %>);
    // A log that cannot be written must not fail what it reports on.
    OrtStatus* status = ort_->Logger_LogMessage(sink_, level, text.c_str(), file, 0, where);
    if (status != nullptr) ort_->ReleaseStatus(status);
  }

 private:
  const OrtApi* ort_;
  const OrtLogger* sink_;
};

}  // namespace <%= ns %>
