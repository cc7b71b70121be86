<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "abi/api.h"
<% if contexts %>
#include "abi/contexts.h"
#include "abi/inner_graphs.h"
<% endif %>
#include "abi/logger.h"
#include "gen/api/kernel.h"
#include "gen/api/status.h"
<% if patterns %>
#include "gen/graph/graph.h"
<% endif %>
#include "gen/graph/partition.h"

namespace <%= ns %> {

// Decides which nodes of a session's graphs the execution provider takes, and in which groups.
class Claimer {
 public:
<% if contexts %>
  Claimer(const Api& api, const Logger& logger, const Contexts& contexts) noexcept
      : api_(api), logger_(logger), contexts_(contexts) {}
<% else %>
  Claimer(const Api& api, const Logger& logger) noexcept : api_(api), logger_(logger) {}
<% endif %>

  // Takes what it can of one graph. ORT asks for each graph of a model, nested ones first, and asks
  // again when it has changed one. `drop_constants`: ORT may free the constants of the groups.
  Status Claim(const OrtGraph* graph, bool drop_constants, OrtEpGraphSupportInfo* support);
<% if contexts %>
  // An error if ORT could not write the compiled model of the graph that was claimed last.
  const Status& writable() const noexcept { return writable_; }
<% endif %>
<% if patterns %>
#ifndef NDEBUG
  // An error if a pattern that was claimed with a node of `graph` was not found again: `read` is
  // the same graph as Compile has read it.
  Status CheckPatterns(const OrtGraph* graph, const Graph& read) const;
#endif
<% endif %>

 private:
  // What becomes of a node: it is left to others, or taken: in a group, for a kernel of its own, or
  // as an EPContext node.
  enum class Way : uint8_t { kLeft, kGroup<% if also_kernels %>, kKernel<% endif %><% if contexts %>, kContext<% endif %> };
  struct Verdict {
    Way way = Way::kLeft;
    const KernelRow* row = nullptr;
    std::string refusal;  // why it is left, unless there is nothing to say
  };

  // One graph.
  struct Scan {
    std::vector<const OrtNode*> nodes;  // in ORT's order, in which they can be computed
    std::vector<Verdict> verdicts;      // per node
    std::vector<NodeGroup> groups;
<% if contexts %>
    InnerGraphs inner;  // nothing, unless the session writes a compiled model
<% endif %>
  };

  Status Judge(const OrtNode* node, Verdict* verdict) const;
  Status Divide(Scan* scan);
  Status Submit(Scan* scan, bool drop_constants, OrtEpGraphSupportInfo* support);

  const Api& api_;
  const Logger& logger_;
<% if contexts %>
  const Contexts& contexts_;
<% endif %>
  std::set<std::string> refusals_;  // those that have been logged
<% if contexts %>
  Status writable_;
<% endif %>
<% if patterns %>
#ifndef NDEBUG
  struct ClaimedPattern {
    std::string name;
    std::vector<size_t> nodes;  // ORT's numbers
  };
  Status RememberPatterns(const Scan& scan, const std::vector<PatternMatch>& patterns);
  std::vector<ClaimedPattern> claimed_patterns_;  // of the graph that was claimed last
#endif
<% endif %>
};

}  // namespace <%= ns %>
