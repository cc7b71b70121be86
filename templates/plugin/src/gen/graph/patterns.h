<%= banner %>
#pragma once

#include <cstdint>
#include <vector>

#include "gen/graph/graph.h"

namespace <%= ns %> {

// A node as patterns look at it.
struct PatternNode {
  static constexpr uint32_t kNone = UINT32_MAX;

  const char* domain = "";
  const char* op = "";
  bool eligible = false;  // may it be in a pattern?
  // The only reader of its first output, which it reads once; none if the value is an output of
  // the graph.
  uint32_t next = kNone;
};

// The chains of nodes that form a pattern of the blueprint. Where chains overlap, that which begins
// at the lower node wins, and then that whose pattern comes first in the blueprint.
std::vector<PatternMatch> FindPatterns(const std::vector<PatternNode>& nodes);

}  // namespace <%= ns %>
