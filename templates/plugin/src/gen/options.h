<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
<% if dynamic_options %>
#include <memory>
#include <mutex>
#include <optional>
<% endif %>
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

<% if dynamic_options %>
// The options that applications may change while a session lives.
inline constexpr const char* kDynamicOptions[] = {
<% for option in options if option.dynamic %>
    <%= option.name | cpp_string %>,
<% endfor %>
};

// A change of one option as applications write it: its key is ep.dynamic.NAME, or NAME behind the
// prefix of this execution provider's options. Leaves `text` empty where the key names another
// execution provider: ORT tells each one of a session about all changes.
Status ReadChange(const char* key, const char* value, std::optional<OptionText>* text);

// The options of a session as they are at the moment. Calls may come from several threads at once.
class LiveOptions {
 public:
  explicit LiveOptions(const Options& options) : current_(std::make_shared<Options>(options)) {}

  // They stay as they are; a later change makes others.
  std::shared_ptr<const Options> Get() const;
  // Changes all that is given, or, with an error as ParseOptions has them, nothing.
  Status Change(const OptionText* given, size_t count);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Options> current_;  // never null
};

<% endif %>
}  // namespace <%= ns %>
