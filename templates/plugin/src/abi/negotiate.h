<%= banner %>
#pragma once

#include <algorithm>
#include <string>

#include "abi/api.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// Reads MAJOR.MINOR.PATCH, all three of them numbers and nothing else; false for any other text.
inline bool ParseVersion(const char* text, OrtVersion* version) noexcept {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (size_t i = 0; i < version->size(); ++i) {
    if ((i > 0 && *text++ != '.') || !is_digit(*text)) return false;
    int& part = (*version)[i];
    // No release has a part of five digits; the bound keeps the number from overflowing.
    for (part = 0; is_digit(*text) && part < 10000; ++text) part = part * 10 + (*text - '0');
  }
  return *text == '\0';
}

// Fills `api` with the tables of the runtime behind `base`. A runtime that is too old, or whose
// version cannot be read, is an error that names both versions.
inline Status Negotiate(const OrtApiBase& base, Api* api) {
  const std::string text = base.GetVersionString();
  OrtVersion version{};
  const bool readable = ParseVersion(text.c_str(), &version);
  // Only while the major version stays is the minor one the API level.
  if (!readable || version[0] != kMinimumOrt[0] || version < kMinimumOrt) {
    std::string minimum;
    for (int part : kMinimumOrt) minimum += (minimum.empty() ? "" : ".") + std::to_string(part);
    return NotImplemented(std::string(kProject) + " " + kVersion + " needs ONNX Runtime " +
                          minimum + " or a newer 1.x; this is '" + text + "'");
  }
  // The runtime's own level: asking for a newer one prints an error and returns null.
  const auto level = static_cast<uint32_t>(version[1]);
  api->ort = base.GetApi(level);
  api->ep = api->ort != nullptr ? api->ort->GetEpApi() : nullptr;
  if (api->ep == nullptr) return NotImplemented("ONNX Runtime " + text + " takes no plugins");
  api->level = std::min(kTargetApi, level);
<% if contexts %>
  api->runtime = level;
<% endif %>
  return Status();
}

}  // namespace <%= ns %>
