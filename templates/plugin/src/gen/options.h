<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gen/api/status.h"

namespace <%= ns %> {

// The provider options of one session.
struct Options {
<% for option in options %>
  <%= option.cpp_type %> <%= option.field %> = <%= option.default | cpp_value %>;  // <%= option.doc | cpp_comment %>
<% endfor %>
};

// A provider option as text, the way ORT and applications handle them.
struct OptionText {
  std::string key;
  std::string value;
};

// All options with their defaults, which are published with each device.
struct OptionDefault {
  const char* key;
  const char* value;
};
inline constexpr OptionDefault kOptionDefaults[] = {
<% for option in options %>
    {<%= option.name | cpp_string %>, <%= option.default_text | cpp_string %>},
<% endfor %>
};

// Reads `given` into `options`. An option that is not known, a value that cannot be read or is out
// of range, and options that exclude each other are errors that name the key and the value.
Status ParseOptions(const OptionText* given, size_t count, Options* options);

}  // namespace <%= ns %>
