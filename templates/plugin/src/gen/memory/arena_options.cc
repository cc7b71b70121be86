<%= banner %>
#include "gen/memory/arena_options.h"

#include <charconv>
#include <system_error>

namespace <%= ns %> {
namespace {

struct SizeOption {
  const char* key;
  size_t ArenaOptions::* member;
  int64_t least;
};
constexpr SizeOption kSizes[] = {
    {"arena.max_mem", &ArenaOptions::limit, 0},
    {"arena.initial_chunk_size_bytes", &ArenaOptions::first_region, 1},
    {"arena.initial_growth_chunk_size_bytes", &ArenaOptions::next_region, 1},
    {"arena.max_power_of_two_extend_bytes", &ArenaOptions::largest_region, 1},
    {"arena.max_dead_bytes_per_chunk", &ArenaOptions::largest_rest, 0},
};
constexpr const char* kStrategy = "arena.extend_strategy";

bool ParseNumber(const std::string& text, int64_t* number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end && !text.empty();
}

Status BadValue(const std::string& key, const std::string& value, const std::string& expected) {
  return InvalidArgument(key + ": '" + value + "' is not " + expected + ", or -1 for the default");
}

}  // namespace

bool ArenaOptions::operator==(const ArenaOptions& other) const noexcept {
  for (const SizeOption& option : kSizes) {
    if (this->*option.member != other.*option.member) return false;
  }
  return exact == other.exact;
}

Status SetArenaOption(const std::string& key, const std::string& value, ArenaOptions* options) {
  int64_t number = 0;
  const bool is_number = ParseNumber(value, &number);
  const ArenaOptions defaults;
  if (key == kStrategy) {
    if (!is_number || number < -1 || number > 1) {
      return BadValue(key, value, "0 (powers of two) or 1 (what is asked for)");
    }
    options->exact = number == 1;
    return Status();
  }
  std::string known = kStrategy;
  for (const SizeOption& option : kSizes) {
    known += std::string(", ") + option.key;
    if (key != option.key) continue;
    if (!is_number || (number < option.least && number != -1)) {
      return BadValue(key, value, "a number of bytes of at least " + std::to_string(option.least));
    }
    size_t& member = options->*option.member;
    member = number == -1 ? defaults.*option.member : static_cast<size_t>(number);
    // For the limit 0 is none, too.
    if (option.member == &ArenaOptions::limit && number == 0) member = defaults.limit;
    return Status();
  }
  return InvalidArgument("'" + key + "' is no option of an arena; there are " + known);
}

}  // namespace <%= ns %>
