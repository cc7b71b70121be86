<%= banner %>
#pragma once

#include <vector>

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
//
// Texts are taken as const char*, or as anything with c_str(), so that this header does without
// <string>: every kernel includes it, and <string> takes as long to compile as a kernel.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  Status(StatusCode code, const char* message);
  template <class Text, class = decltype(static_cast<const Text*>(nullptr)->c_str())>
  Status(StatusCode code, const Text& message) : Status(code, message.c_str()) {}

  bool ok() const noexcept { return code_ == StatusCode::kOk; }
  StatusCode code() const noexcept { return code_; }
  const char* message() const noexcept { return message_.empty() ? "" : message_.data(); }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::vector<char> message_;  // with its '\0'; empty for success
};

template <class Text>
Status InvalidArgument(const Text& message) {
  return Status(StatusCode::kInvalidArgument, message);
}

template <class Text>
Status NotImplemented(const Text& message) {
  return Status(StatusCode::kNotImplemented, message);
}

template <class Text>
Status Failed(const Text& message) {
  return Status(StatusCode::kFailed, message);
}

}  // namespace <%= ns %>

// Returns from the enclosing function when `expression` is an error.
#define EP_RETURN_IF_ERROR(expression)                         \
  do {                                                         \
    ::<%= ns %>::Status ep_status = (expression);       \
    if (!ep_status.ok()) return ep_status;                     \
  } while (false)
