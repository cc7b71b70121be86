<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gen/api/status.h"

namespace <%= ns %> {

// A graph to be divided. Nodes are numbered in an order in which they can be computed, so every
// edge leads from a lower number to a higher one.
struct PartitionProblem {
  std::vector<char> supported;                  // per node: may it be in a group?
  std::vector<uint32_t> first_successor;        // per node, and one more: where its edges begin
  std::vector<uint32_t> successors;             // edges; several between two nodes do no harm
  std::vector<std::vector<uint32_t>> together;  // disjoint sets of supported nodes to keep whole
  size_t max_group = 0;                         // nodes in a group at most; 0: no limit
};

using NodeGroup = std::vector<uint32_t>;  // ascending

// Divides the supported nodes into groups that can be replaced by one node each:
// - no path leads out of a group and back into it, not even through other groups;
// - no two groups that an edge connects could be one, but for max_group. In a graph made to tire
//   the search it may miss some: its steps are limited, so that the time grows as the graph does;
// - nodes without any edge are one group, since each group costs the runtime a walk of the graph;
// - a set of `together` lies in one group. Where it cannot - it is larger than max_group, or a path
//   leads out of it (and of the sets before it) and back - its nodes stand alone.
// The groups are sorted by their first node. An edge that leads back is an error.
Status Partition(const PartitionProblem& problem, std::vector<NodeGroup>* groups);

}  // namespace <%= ns %>
