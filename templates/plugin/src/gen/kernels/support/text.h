<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gen/api/status.h"

namespace <%= ns %> {

// A message, put together piece by piece: Text() << "axis " << axis. Out of line, so that a kernel
// that has much to complain about stays cheap to compile.
class Text {
 public:
  Text& operator<<(const char* part);
  Text& operator<<(int64_t number);
  Text& operator<<(size_t number);
  Text& operator<<(const std::vector<int64_t>& values);  // a shape, or axes: (2, 3)

  const char* c_str() const noexcept { return text_.empty() ? "" : text_.data(); }

 private:
  std::vector<char> text_;  // with its '\0', once there is a piece; see Status for why it is no string
};

Status InvalidArgument(const Text& text);
Status NotImplemented(const Text& text);

}  // namespace <%= ns %>
