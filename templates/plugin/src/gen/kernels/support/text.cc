<%= banner %>
#include "gen/kernels/support/text.h"

#include "gen/kernels/support/errors.h"

namespace <%= ns %> {

Text& Text::operator<<(const char* part) {
  text_ += part;
  return *this;
}

Text& Text::operator<<(int64_t number) {
  text_ += std::to_string(number);
  return *this;
}

Text& Text::operator<<(size_t number) { return *this << static_cast<int64_t>(number); }

Text& Text::operator<<(const std::vector<int64_t>& values) {
  text_ += TextOf(values);
  return *this;
}

Status InvalidArgument(const Text& text) { return InvalidArgument(text.str()); }

Status NotImplemented(const Text& text) { return NotImplemented(text.str()); }

}  // namespace <%= ns %>
