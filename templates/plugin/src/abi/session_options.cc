<%= banner %>
#include "abi/session_options.h"

#include <string>
#include <vector>

#include "abi/handles.h"
#include "abi/status_bridge.h"

namespace <%= ns %> {
namespace {

// Does `key` begin with our prefix, in any case of letters?
bool IsOurs(const std::string& key) {
  constexpr size_t kLength = sizeof(kOptionPrefix) - 1;
  if (key.size() < kLength) return false;
  for (size_t i = 0; i < kLength; ++i) {
    const char c = key[i];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != kOptionPrefix[i]) return false;
  }
  return true;
}

}  // namespace

Status ReadSessionOptions(const Api& api, const OrtSessionOptions* session, Options* options) {
  KeyValuePairs entries(*api.ort);
  EP_RETURN_IF_ERROR(FromOrt(api, api.ort->GetSessionOptionsConfigEntries(session, entries.out())));
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  api.ort->GetKeyValuePairs(entries.get(), &keys, &values, &count);

  std::vector<OptionText> given;
  for (size_t i = 0; i < count; ++i) {
    const std::string key = keys[i];
    if (key == "ep.context_enable" && std::string(values[i]) == "1") {
      return NotImplemented(std::string(kEpName) +
                            ": ep.context_enable=1 asks for a model with compiled EPContext "
                            "nodes, which this provider does not make");
    }
    if (!IsOurs(key)) continue;
    if (key.rfind(kOptionPrefix, 0) != 0) {
      return InvalidArgument(std::string(kEpName) + ": write option '" + key +
                             "' with the prefix '" + kOptionPrefix + "'");
    }
    given.push_back({key.substr(sizeof(kOptionPrefix) - 1), values[i]});
  }
  return ParseOptions(given.data(), given.size(), options);
}

}  // namespace <%= ns %>
