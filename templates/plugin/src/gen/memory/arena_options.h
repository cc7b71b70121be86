<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gen/api/status.h"

namespace <%= ns %> {

// How an arena grows. All in bytes.
struct ArenaOptions {
  size_t limit = SIZE_MAX;  // of all that the arena holds; SIZE_MAX: none
  bool exact = false;       // a region is as large as the allocation that needs it; else there is
  size_t first_region = size_t{1} << 20;    // the first region,
  size_t next_region = size_t{2} << 20;     // the second, from which sizes double
  size_t largest_region = size_t{1} << 30;  // up to this one
  // What is left of a block is split off if it is larger than this, or than what is taken.
  size_t largest_rest = 0;

  bool operator==(const ArenaOptions& other) const noexcept;
};

// Sets the option that `key` names, such as "arena.max_mem". An unknown key, or a value that is no
// number or out of range, is an error.
Status SetArenaOption(const std::string& key, const std::string& value, ArenaOptions* options);

}  // namespace <%= ns %>
