<%= banner %>
#pragma once

#include <string>
#include <utility>

namespace <%= ns %> {

// Why something failed, in terms that say what the caller can do about it.
enum class StatusCode {
  kOk,
  kInvalidArgument,  // the model, an option or a call is wrong
  kNotImplemented,   // legal, but beyond what this library does
  kFailed,           // anything else that went wrong at run time
  kDeviceLost,       // the device must be reset before it can be used again
};

// The outcome of a function: success, or a code with a text. Converts to nothing implicitly.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const noexcept { return code_ == StatusCode::kOk; }
  StatusCode code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

inline Status InvalidArgument(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}

inline Status NotImplemented(std::string message) {
  return Status(StatusCode::kNotImplemented, std::move(message));
}

inline Status Failed(std::string message) {
  return Status(StatusCode::kFailed, std::move(message));
}

}  // namespace <%= ns %>

// Returns from the enclosing function when `expression` is an error.
#define EP_RETURN_IF_ERROR(expression)                         \
  do {                                                         \
    ::<%= ns %>::Status ep_status = (expression);       \
    if (!ep_status.ok()) return ep_status;                     \
  } while (false)
