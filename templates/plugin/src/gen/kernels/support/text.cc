<%= banner %>
#include "gen/kernels/support/text.h"

#include <cstring>

namespace <%= ns %> {

Text& Text::operator<<(const char* part) {
  if (!text_.empty()) text_.pop_back();
  text_.insert(text_.end(), part, part + std::strlen(part) + 1);
  return *this;
}

Text& Text::operator<<(int64_t number) {
  char digits[24];
  char* first = digits + sizeof digits;
  *--first = '\0';
  // Below zero there is one number more than above it.
  int64_t rest = number < 0 ? number : -number;
  do {
    *--first = static_cast<char>('0' - rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (number < 0) *--first = '-';
  return *this << first;
}

Text& Text::operator<<(size_t number) { return *this << static_cast<int64_t>(number); }

Text& Text::operator<<(const std::vector<int64_t>& values) {
  const char* before = "(";
  for (int64_t value : values) {
    *this << before << value;
    before = ", ";
  }
  return *this << (values.empty() ? "()" : ")");
}

Status InvalidArgument(const Text& text) { return Status(StatusCode::kInvalidArgument, text.c_str()); }

Status NotImplemented(const Text& text) { return Status(StatusCode::kNotImplemented, text.c_str()); }

}  // namespace <%= ns %>
