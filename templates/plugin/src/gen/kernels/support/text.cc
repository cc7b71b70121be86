<%= banner %>
#include "gen/kernels/support/text.h"

#include <cstring>
#include <string>

#include "gen/kernels/support/errors.h"

namespace <%= ns %> {

Text& Text::operator<<(const char* part) {
  if (!text_.empty()) text_.pop_back();
  text_.insert(text_.end(), part, part + std::strlen(part) + 1);
  return *this;
}

Text& Text::operator<<(int64_t number) {
  return *this << std::to_string(number).c_str();
}

Text& Text::operator<<(size_t number) { return *this << static_cast<int64_t>(number); }

Text& Text::operator<<(const std::vector<int64_t>& values) {
  return *this << TextOf(values).c_str();
}

Status InvalidArgument(const Text& text) { return Status(StatusCode::kInvalidArgument, text.c_str()); }

Status NotImplemented(const Text& text) { return Status(StatusCode::kNotImplemented, text.c_str()); }

}  // namespace <%= ns %>
