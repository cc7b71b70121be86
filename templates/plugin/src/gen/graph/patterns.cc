<%= banner %>
#include "gen/graph/patterns.h"

#include <cstddef>
#include <cstring>
#include <utility>

namespace <%= ns %> {
namespace {

struct Step {
  const char* domain;
  const char* op;
};

struct Pattern {
  const char* name;
  const Step* steps;
  size_t count;
};

<% for pattern in patterns %>
constexpr Step kSteps<%= loop.index0 %>[] = {
<%- for domain, op in pattern.ops %>{<%= domain | cpp_string %>, <%= op | cpp_string %>}<% if not loop.last %>, <% endif %><% endfor -%>
};
<% endfor %>

constexpr Pattern kPatterns[] = {
<% for pattern in patterns %>
    {<%= pattern.name | cpp_string %>, kSteps<%= loop.index0 %>, <%= pattern.ops | length %>},
<% endfor %>
};

// The nodes of the pattern that begins at `first`; empty if none does.
std::vector<uint32_t> Follow(const Pattern& pattern, const std::vector<PatternNode>& nodes,
                             const std::vector<char>& used, uint32_t first) {
  std::vector<uint32_t> chain;
  uint32_t at = first;
  for (size_t i = 0; i < pattern.count; ++i) {
    if (at == PatternNode::kNone || used[at] != 0 || !nodes[at].eligible) return {};
    if (std::strcmp(nodes[at].op, pattern.steps[i].op) != 0) return {};
    if (std::strcmp(nodes[at].domain, pattern.steps[i].domain) != 0) return {};
    chain.push_back(at);
    at = nodes[at].next;
  }
  return chain;
}

}  // namespace

std::vector<PatternMatch> FindPatterns(const std::vector<PatternNode>& nodes) {
  std::vector<PatternMatch> found;
  std::vector<char> used(nodes.size(), 0);
  for (uint32_t first = 0; first < nodes.size(); ++first) {
    for (const Pattern& pattern : kPatterns) {
      std::vector<uint32_t> chain = Follow(pattern, nodes, used, first);
      if (chain.empty()) continue;
      for (uint32_t node : chain) used[node] = 1;
      found.push_back({pattern.name, std::move(chain)});
      break;
    }
  }
  return found;
}

}  // namespace <%= ns %>
