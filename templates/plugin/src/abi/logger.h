<%= banner %>
#pragma once

#include <string>

#include "abi/api.h"

namespace <%= ns %> {

// Writes to ORT's log: the default logger while no session is concerned, else the session's. Not for
// destructors of what a session has: in 1.24 its log is gone by then.
class Logger {
 public:
<% if several %>
  Logger(const Api& api, const OrtLogger* sink) noexcept
      : ort_(api.ort), sink_(sink), name_(api.identity->ep_name) {}
<% else %>
  Logger(const Api& api, const OrtLogger* sink) noexcept : ort_(api.ort), sink_(sink) {}
<% endif %>

  void Info(const std::string& text) const noexcept { Log(ORT_LOGGING_LEVEL_INFO, text); }
  void Warn(const std::string& text) const noexcept { Log(ORT_LOGGING_LEVEL_WARNING, text); }

 private:
  void Log(OrtLoggingLevel level, const std::string& text) const noexcept {
    if (sink_ == nullptr) return;
    // ORT heads a line with file and function; who speaks is worth more to a reader of the log.
    const ORTCHAR_T* file = ORT_TSTR(<%= library | cpp_string %>);
    // A log that cannot be written must not fail what it reports on.
    OrtStatus* status = ort_->Logger_LogMessage(sink_, level, text.c_str(), file, 0, <%= "name_" if several else "kEpName" %>);
    if (status != nullptr) ort_->ReleaseStatus(status);
  }

  const OrtApi* ort_;
  const OrtLogger* sink_;
<% if several %>
  const char* name_;
<% endif %>
};

}  // namespace <%= ns %>
