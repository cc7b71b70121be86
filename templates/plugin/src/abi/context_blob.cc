<%= banner %>
#include "abi/context_blob.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "abi/compatibility.h"
#include "device/discovery.h"
#include "gen/devices.h"
#include "gen/identity.h"

namespace <%= ns %> {

BlobContent NewContent(const std::string& architecture) {
  BlobContent content;
  content.ep = kEpName;
  content.version = kVersion;
  content.architecture = architecture;
  return content;
}

void AddEntries(BlobContent* content, Entries* entries) {
  std::set<std::string> taken;
  for (const BlobContent::Entry& entry : content->entries) taken.insert(entry.name);
  for (BlobContent::Entry& entry : *entries) {
    const std::string wanted = entry.name;
    for (int number = 2; !taken.insert(entry.name).second; ++number) {
      entry.name = wanted + "#" + std::to_string(number);
    }
    content->entries.push_back(entry);
  }
}

Status ReadContent(const SharedBytes& bytes, BlobContent* content) {
  BlobContent read;
  EP_RETURN_IF_ERROR(DecodeBlob(bytes, &read));
  if (read.ep != kEpName) {
    return InvalidArgument("the compiled data is of " + read.ep + ", not of " + kEpName);
  }
  if (!IsSameSeries(read.version)) {
    return InvalidArgument("the compiled data was made by version " + read.version +
                           "; this is version " + kVersion + ": compile the model again");
  }
  const auto is_ours = [&](const DeviceRule& rule) { return read.architecture == rule.name; };
  if (std::none_of(std::begin(kDeviceRules), std::end(kDeviceRules), is_ours)) {
    return InvalidArgument("the compiled data is for '" + read.architecture +
                           "'; this library compiles for " + DescribeRules() +
                           ": compile the model again");
  }
  *content = std::move(read);
  return Status();
}

Status FindEntry(const BlobContent& content, const std::string& name, Saved* saved) {
  constexpr size_t kShown = 5;
  std::string known;
  for (const BlobContent::Entry& entry : content.entries) {
    if (entry.name == name) {
      *saved = entry.saved;
      return Status();
    }
  }
  const size_t count = content.entries.size();
  for (size_t i = 0; i < std::min(count, kShown); ++i) {
    known += (i > 0 ? ", '" : "'") + content.entries[i].name + "'";
  }
  if (count > kShown) known += " and " + std::to_string(count - kShown) + " more";
  return InvalidArgument("the compiled data has no partition '" + name + "'; it has " +
                         (count > 0 ? known : "none"));
}

}  // namespace <%= ns %>
