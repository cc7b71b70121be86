<%= banner %>
#include "gen/options.h"

<% if kinds.int or kinds.float %>
<% if kinds.float %>
#include <cfloat>
<% endif %>
#include <cerrno>
#include <cstdlib>
<% endif %>
#include <algorithm>
#include <cstring>
<% if dynamic_options %>
#include <utility>
<% endif %>
#include <vector>

#include "gen/identity.h"

namespace <%= ns %> {
namespace {

Status Invalid(const OptionText& text, const std::string& expected) {
  return InvalidArgument(std::string(<%= "kProject" if several else "kEpName" %>) + ": option '" + text.key + "' is '" + text.value +
                         "'; expected " + expected);
}

<% if kinds.int %>
Status Parse(const OptionText& text, int64_t low, int64_t high, const char* expected,
             int64_t* value) {
  const char* start = text.value.c_str();
  char* end = nullptr;
  errno = 0;
  const int64_t parsed = std::strtoll(start, &end, 10);
  const bool number = end != start && *end == '\0' && errno == 0 && std::strchr(" \t\n", *start) == nullptr;
  if (!number || parsed < low || parsed > high) return Invalid(text, expected);
  *value = parsed;
  return Status();
}

<% endif %>
<% if kinds.float %>
Status Parse(const OptionText& text, double low, double high, const char* expected,
             double* value) {
  const char* start = text.value.c_str();
  char* end = nullptr;
  errno = 0;
  const double parsed = std::strtod(start, &end);
  const bool number = end != start && *end == '\0' && errno == 0;
  if (!number || !(parsed >= low && parsed <= high)) return Invalid(text, expected);
  *value = parsed;
  return Status();
}

<% endif %>
<% if kinds.bool %>
// 0, 1, true and false, in any case.
Status Parse(const OptionText& text, bool* value) {
  std::string lower = text.value;
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const bool on = lower == "1" || lower == "true";
  if (!on && lower != "0" && lower != "false") return Invalid(text, "0, 1, true or false");
  *value = on;
  return Status();
}

<% endif %>
<% if kinds.enum %>
template <size_t N>
Status Parse(const OptionText& text, const char* const (&choices)[N], std::string* value) {
  std::string listed;
  for (const char* choice : choices) {
    if (text.value == choice) {
      *value = choice;
      return Status();
    }
    listed += (listed.empty() ? "" : ", ") + std::string(choice);
  }
  return Invalid(text, "one of " + listed);
}

<% endif %>
<% if kinds.string %>
Status Parse(const OptionText& text, std::string* value) {
  *value = text.value;
  return Status();
}

<% endif %>
// The number of letters to insert, delete or replace to get from `a` to `b`.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

Status Unknown(const OptionText& text) {
  std::string listed;
  const char* nearest = nullptr;
  size_t best = text.key.size() / 2 + 1;  // further off than this is no likely slip
  for (const OptionDefault& option : kOptionDefaults) {
    listed += (listed.empty() ? "" : ", ") + std::string(option.key);
    const size_t distance = EditDistance(text.key, option.key);
    if (distance < best) {
      best = distance;
      nearest = option.key;
    }
  }
  const std::string hint = nearest != nullptr ? "did you mean '" + std::string(nearest) + "'? " : "";
  return InvalidArgument(std::string(<%= "kProject" if several else "kEpName" %>) + ": unknown option '" + text.key + "' (value '" +
                         text.value + "'); " + hint + "the options are " + listed);
}

Status ParseOne(const OptionText& text, Options* options) {
<% for option in options %>
<% if option.kind == "enum" %>
  if (text.key == <%= option.name | cpp_string %>) {
    constexpr const char* kChoices[] = {
<% for choice in option.choices %>
        <%= choice | cpp_string %>,
<% endfor %>
    };
    return Parse(text, kChoices, &options-><%= option.field %>);
  }
<% elif option.kind in ("int", "float") %>
  if (text.key == <%= option.name | cpp_string %>) {
    return Parse(text, <%= option.low %>, <%= option.high %>, <%= option.expected | cpp_string %>, &options-><%= option.field %>);
  }
<% else %>
  if (text.key == <%= option.name | cpp_string %>) return Parse(text, &options-><%= option.field %>);
<% endif %>
<% endfor %>
  return Unknown(text);
}
<% if exclusions %>

Status Exclusive(const char* first, const char* second) {
  return InvalidArgument(std::string(<%= "kProject" if several else "kEpName" %>) + ": options '" + first + "' and '" + second +
                         "' exclude each other; set one of them");
}
<% endif %>
<% if dynamic_options %>

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

// Does a key, in lower case, begin as the options of another execution provider do?
bool NamesOther(const std::string& key) {
  const size_t start = std::strlen("ep.");
  const size_t end = key.find('.', start);
  if (key.rfind("ep.", 0) != 0 || end == std::string::npos) return false;
  const std::string suffix = "executionprovider";  // which the names of all of them end in
  const std::string name = key.substr(start, end - start);
  return name.size() > suffix.size() &&
         name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
}
<% endif %>

}  // namespace

Status ParseOptions(const OptionText* given, size_t count, Options* options) {
  for (size_t i = 0; i < count; ++i) EP_RETURN_IF_ERROR(ParseOne(given[i], options));
<% if exclusions %>
  // ORT hands the published defaults back as if the application had set them, so an option counts
  // as set when its value differs from the default.
  const Options defaults;
<% for pair in exclusions %>
  if (options-><%= pair[0].field %> != defaults.<%= pair[0].field %> && options-><%= pair[1].field %> != defaults.<%= pair[1].field %>) {
    return Exclusive(<%= pair[0].name | cpp_string %>, <%= pair[1].name | cpp_string %>);
  }
<% endfor %>
<% endif %>
  return Status();
}
<% if dynamic_options %>

Status ReadChange(const char* key, const char* value, std::optional<OptionText>* text) {
  constexpr const char* kAnyProvider = "ep.dynamic.";
  const std::string given = key;
  const std::string lower = Lower(given);
  std::string name;
  text->reset();
  for (const char* prefix : {kAnyProvider, kOptionPrefix}) {
    if (lower.rfind(prefix, 0) != 0) continue;
    if (given.rfind(prefix, 0) != 0) {
      return InvalidArgument("'" + given + "': write the prefix of this option as " + prefix);
    }
    name = given.substr(std::strlen(prefix));
  }
  if (name.empty() && NamesOther(lower)) return Status();
  for (const char* option : kDynamicOptions) {
    if (name != option) continue;
    *text = OptionText{name, value};
    return Status();
  }
  std::string listed;
  for (const char* option : kDynamicOptions) {
    listed += (listed.empty() ? "" : ", ") + std::string(kAnyProvider) + option;
  }
  return InvalidArgument(std::string(<%= "kProject" if several else "kEpName" %>) + ": '" + given + "' (value '" + value +
                         "') is nothing that can be changed while a session lives; that are " +
                         listed);
}

std::shared_ptr<const Options> LiveOptions::Get() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return current_;
}

Status LiveOptions::Change(const OptionText* given, size_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto changed = std::make_shared<Options>(*current_);
  EP_RETURN_IF_ERROR(ParseOptions(given, count, changed.get()));
  current_ = std::move(changed);
  return Status();
}
<% endif %>

}  // namespace <%= ns %>
