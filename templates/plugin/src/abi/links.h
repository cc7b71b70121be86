<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "abi/api.h"
#include "gen/api/status.h"
#include "gen/graph/partition.h"

namespace <%= ns %> {

// Which nodes of a graph read what which others make: ORT's lists of readers would cost a walk per
// reader. What comes from outside the graph is no link.
class Links {
 public:
  Links(const Api& api, const std::vector<const OrtNode*>& nodes) noexcept
      : api_(api), nodes_(nodes) {}

  // Fills in the edges of `problem`.
  Status Read(PartitionProblem* problem);
<% if patterns %>
  // PatternNode::next of a node, once the links are read.
  Status FindNext(uint32_t node, uint32_t* next) const;
<% endif %>

 private:
  struct Maker {
    uint32_t node;
    size_t output;
  };
  struct Edge {
    uint32_t from;
    uint32_t to;
  };
<% if patterns %>
  struct FirstOutput {
    const OrtValueInfo* value = nullptr;
    uint32_t reads = 0;
    uint32_t reader = 0;  // the last one
  };
<% endif %>

  Status AddOutputs(uint32_t node);
  Status AddInputs(uint32_t node, const std::vector<const OrtValueInfo*>& inputs);

  const Api& api_;
  const std::vector<const OrtNode*>& nodes_;
  std::unordered_map<std::string_view, Maker> makers_;  // by the name of the value
  std::vector<Edge> edges_;
<% if patterns %>
  std::vector<FirstOutput> first_outputs_;  // per node
<% endif %>
};

}  // namespace <%= ns %>
