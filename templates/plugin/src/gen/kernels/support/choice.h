<%= banner %>
#pragma once

#include <cstddef>

#include "gen/api/node.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// Reads a text attribute that is one of `names`; `choice` gets its position. An absent attribute,
// or an empty text, leaves `choice` as it is.
Status ReadChoice(const Node& node, const char* attribute, const char* const* names, size_t count,
                  size_t* choice);

template <size_t kCount>
Status ReadChoice(const Node& node, const char* attribute, const char* const (&names)[kCount],
                  size_t* choice) {
  return ReadChoice(node, attribute, names, kCount, choice);
}

}  // namespace <%= ns %>
