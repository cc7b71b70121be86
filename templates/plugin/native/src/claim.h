<%= banner %>
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gen/api/kernel.h"
#include "gen/api/node.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"

// Which nodes of a model the execution provider takes, found out without ONNX Runtime: the kernel
// table, the type rules and the kernels' own refusals are the same.
namespace <%= ns %>::native {

// A node of a model. Types are kUndefined for what was left out, and where nobody knows them.
struct Candidate {
  std::string domain;
  std::string op;
  std::vector<DType> inputs;
  std::vector<DType> outputs;
  bool has_graphs = false;
};

// Why the execution provider leaves a node; empty when it takes it. `row` is null for a node that
// has no kernel.
std::string Judge(const Candidate& candidate, const Node& node, const KernelRow** row);
<% if compiled %>

// How nodes depend on each other. They are numbered in an order in which they can be computed.
struct Dependencies {
  std::vector<std::pair<uint32_t, uint32_t>> edges;  // from a node to one that reads what it makes
  std::vector<int64_t> next;                         // see PatternNode::next; -1: none
};

// Nodes that are taken together.
struct Group {
  std::vector<uint32_t> nodes;
  bool is_compiled = true;  // else each of them has a kernel of its own
};

struct Division {
  std::vector<Group> groups;
  std::vector<std::pair<std::string, std::vector<uint32_t>>> patterns;
};

// Divides the nodes that are taken - `rows` is null for all others - into groups.
Status Divide(const std::vector<const KernelRow*>& rows, const Dependencies& dependencies,
              Division* division);
<% endif %>

}  // namespace <%= ns %>::native
