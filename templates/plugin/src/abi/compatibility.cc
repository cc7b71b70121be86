<%= banner %>
#include "abi/compatibility.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

namespace <%= ns %> {
namespace {

constexpr char kFormat[] = "1";  // of the text; one that says more gets another number

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsIdentifier(const std::string& text) {
  const auto fits = [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && !IsDigit(text[0]) && std::all_of(text.begin(), text.end(), fits);
}

// The first two numbers of a version, MAJOR.MINOR.PATCH and perhaps more.
bool ReadSeries(const std::string& version, std::array<std::string, 2>* series) {
  constexpr size_t kNumbers = 3;
  size_t at = 0;
  for (size_t i = 0; i < kNumbers; ++i) {
    if (i > 0 && (at >= version.size() || version[at++] != '.')) return false;
    const size_t start = at;
    while (at < version.size() && IsDigit(version[at])) ++at;
    const std::string number = version.substr(start, at - start);
    if (number.empty() || (number.size() > 1 && number[0] == '0')) return false;
    if (i < series->size()) (*series)[i] = number;
  }
  return at == version.size() || version[at] == '-' || version[at] == '+';
}

struct Claims {
  std::string format;
  std::string version;
  std::string architecture;
};

// Reads KEY=VALUE;KEY=VALUE: each key once, in any order, and no other.
bool ReadClaims(const std::string& text, Claims* claims) {
  const std::pair<const char*, std::string*> keys[] = {{"format", &claims->format},
                                                       {"version", &claims->version},
                                                       {"architecture", &claims->architecture}};
  for (size_t start = 0, end = 0; end != std::string::npos; start = end + 1) {
    end = text.find(';', start);
    const std::string part = text.substr(start, end == std::string::npos ? end : end - start);
    const size_t equals = part.find('=');
    if (equals == std::string::npos || equals + 1 == part.size()) return false;
    const auto* found = std::find_if(std::begin(keys), std::end(keys), [&](const auto& key) {
      return part.compare(0, equals, key.first) == 0;
    });
    if (found == std::end(keys) || !found->second->empty()) return false;
    *found->second = part.substr(equals + 1);
  }
  return std::none_of(std::begin(keys), std::end(keys),
                      [](const auto& key) { return key.second->empty(); });
}

}  // namespace

std::string CompatibilityInfo(const DeviceRule& rule) {
  return std::string(kEpName) + ";format=" + kFormat + ";version=" + kVersion +
         ";architecture=" + rule.name;
}

bool IsSameSeries(const std::string& version) {
  std::array<std::string, 2> theirs;
  std::array<std::string, 2> ours;
  if (!ReadSeries(version, &theirs) || !ReadSeries(kVersion, &ours)) return false;
  return theirs[0] == ours[0] && (ours[0] != "0" || theirs[1] == ours[1]);
}

OrtCompiledModelCompatibility Judge(const std::string& info, const DeviceRule* const* rules,
                                    size_t count) {
  if (info.empty()) return OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
  const size_t separator = info.find(';');
  const std::string maker = info.substr(0, separator);
  if (maker != kEpName && separator != std::string::npos && IsIdentifier(maker)) {
    return OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
  }
  Claims claims;
  if (maker != kEpName || separator == std::string::npos ||
      !ReadClaims(info.substr(separator + 1), &claims) || claims.format != kFormat) {
    return OrtCompiledModelCompatibility_EP_UNSUPPORTED;
  }
  const auto fits = [&](const DeviceRule* rule) {
    return rule != nullptr && claims.architecture == rule->name;
  };
  if (!std::all_of(rules, rules + count, fits)) return OrtCompiledModelCompatibility_EP_UNSUPPORTED;
  if (claims.version == kVersion) return OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL;
  return IsSameSeries(claims.version)
             ? OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION
             : OrtCompiledModelCompatibility_EP_UNSUPPORTED;
}
<% if select_candidate %>

namespace {

// The number of models in a candidate; 0 when it does not say so in plain digits.
size_t CountModels(const char* text) {
  size_t count = 0;
  for (; text != nullptr && IsDigit(*text) && count < 100000; ++text) {
    count = count * 10 + static_cast<size_t>(*text - '0');
  }
  return text != nullptr && *text == '\0' ? count : 0;
}

// How good a candidate is; 0 when it does not fit.
int Score(const OrtApi& ort, const OrtKeyValuePairs* candidate, const DeviceRule* rule) {
  if (candidate == nullptr) return 0;
  int worst = 0;
  const size_t count = CountModels(ort.GetKeyValue(candidate, "num_models"));
  for (size_t i = 0; i < count; ++i) {
    const std::string key = std::to_string(i) + ".ep_compatibility_info";
    const char* info = ort.GetKeyValue(candidate, key.c_str());
    if (info == nullptr) return 0;
    const OrtCompiledModelCompatibility verdict = Judge(info, &rule, 1);
    int score = 0;
    if (verdict == OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL) score = 2;
    if (verdict == OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION) score = 1;
    worst = i == 0 ? score : std::min(worst, score);
  }
  return worst;
}

}  // namespace

size_t SelectCandidate(const OrtApi& ort, const OrtKeyValuePairs* const* candidates, size_t count,
                       const DeviceRule* rule) {
  size_t selected = SIZE_MAX;
  int best = 0;
  for (size_t i = 0; i < count; ++i) {
    const int score = Score(ort, candidates[i], rule);
    if (score > best) {
      best = score;
      selected = i;
    }
  }
  return selected;
}
<% endif %>

}  // namespace <%= ns %>
