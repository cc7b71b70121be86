<%= banner %>
#include "gen/api/status.h"

<% if compiled %>
#include <cstddef>
<% endif %>
#include <cstring>

namespace <%= ns %> {
<% if compiled %>
namespace {

// The length of the UTF-8 character that `text` begins with; 0 if it begins with none.
size_t CharacterLength(const unsigned char* text) {
  const unsigned char first = text[0];
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (size_t i = 1; i < length; ++i) {
    if ((text[i] & 0xC0) != 0x80) return 0;
  }
  // Longer than it need be, half of a surrogate pair, or beyond the last character.
  const unsigned char second = text[1];
  const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                     (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return wrong ? 0 : length;
}

}  // namespace
<% endif %>

Status::Status(StatusCode code, const char* message)
    : code_(code), message_(message, message + std::strlen(message) + 1) {
<% if compiled %>
  // Names out of a damaged file may be any bytes; those who read the text expect UTF-8.
  auto* text = reinterpret_cast<unsigned char*>(message_.data());
  while (*text != '\0') {
    const size_t length = CharacterLength(text);
    if (length == 0) *text = '?';
    text += length == 0 ? 1 : length;
  }
<% endif %>
}

}  // namespace <%= ns %>
