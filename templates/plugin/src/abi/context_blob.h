<%= banner %>
#pragma once

#include <string>
#include <vector>

#include "gen/api/status.h"
#include "gen/graph/blob.h"

namespace <%= ns %> {

using Entries = std::vector<BlobContent::Entry>;

// Nothing yet, made by this library.
BlobContent NewContent(const std::string& architecture);

// Appends copies of `entries`; a name that is taken already is changed, in `entries` too.
void AddEntries(BlobContent* content, Entries* entries);

// Reads a blob. One of another library, of a version whose data this one cannot read, or for an
// architecture that it does not know is an error.
Status ReadContent(const SharedBytes& bytes, BlobContent* content);

// The entry of a name; a name that is not there is an error that lists some that are.
Status FindEntry(const BlobContent& content, const std::string& name, Saved* saved);

}  // namespace <%= ns %>
