<%= banner %>
#include "claim.h"

<% if also_kernels %>
#include <algorithm>
<% endif %>
#include <memory>

#include "gen/api/signature.h"
<% if compiled %>
#include "gen/graph/partition.h"
<% if patterns %>
#include "gen/graph/patterns.h"
<% endif %>
<% endif %>
#include "gen/kernel_table.h"

namespace <%= ns %>::native {
<% if not compiled %>
namespace {

// The element types of a node's inputs: "float32, -" where the second was left out.
std::string Describe(const std::vector<DType>& types) {
  std::string text;
  for (DType type : types) {
    text += text.empty() ? "" : ", ";
    text += type != DType::kUndefined ? NameOf(type) : "-";
  }
  return text;
}

}  // namespace
<% endif %>

std::string Judge(const Candidate& candidate, const Node& node, const KernelRow** row) {
  const KernelRow* found =
      FindKernel(candidate.domain.c_str(), candidate.op.c_str(), node.SinceVersion());
  *row = nullptr;
  if (found == nullptr || !found->ready) return "there is no kernel for it";
  if (candidate.has_graphs) return "it has graphs of its own";
  const Status fits = CheckSignature(*found, candidate.inputs, candidate.outputs);
<% if compiled %>
  if (!fits.ok()) return fits.message();
<% else %>
<% if custom_domains %>
  constexpr const char* kOwn[] = {<% for domain in custom_domains %><%= domain | cpp_string %><% if not loop.last %>, <% endif %><% endfor %>};
  for (const char* domain : kOwn) {
    if (!fits.ok() && candidate.domain == domain) return fits.message();
  }
<% endif %>
  if (!fits.ok()) return "there is no kernel for inputs of the types " + Describe(candidate.inputs);
<% endif %>
  std::unique_ptr<Kernel> trial;
  const Status made = found->make(node, trial);
  if (!made.ok()) return made.message();
<% if nhwc %>
  if (candidate.domain.empty() && HasNhwcKernel(candidate.op.c_str())) {
    const KernelRow* converted = FindNhwcKernel(candidate.op.c_str(), node.SinceVersion());
    if (converted == nullptr) return "there is no kernel for it with its channels last";
    const Status ours = converted->make(node, trial);
    if (!ours.ok()) return ours.message();
  }
<% endif %>
  *row = found;
  return "";
}
<% if compiled %>

Status Divide(const std::vector<const KernelRow*>& rows, const Dependencies& dependencies,
              Division* division) {
  PartitionProblem problem;
  problem.max_group = <%= max_group %>;  // nodes; 0: no limit
<% if also_kernels %>
  for (const KernelRow* row : rows) {
    problem.supported.push_back(row != nullptr && row->compiled);
  }
<% else %>
  for (const KernelRow* row : rows) problem.supported.push_back(row != nullptr);
<% endif %>
  // By their origin: how many edges each node has, then where they begin, then they themselves.
  std::vector<uint32_t>& first = problem.first_successor;
  first.assign(rows.size() + 1, 0);
  for (const auto& [from, to] : dependencies.edges) {
    if (from >= to || to >= rows.size()) return Failed("the nodes are in no order to compute them");
    ++first[from + 1];
  }
  for (size_t i = 0; i < rows.size(); ++i) first[i + 1] += first[i];
  problem.successors.resize(dependencies.edges.size());
  std::vector<uint32_t> next = first;
  for (const auto& [from, to] : dependencies.edges) problem.successors[next[from]++] = to;
<% if patterns %>
  std::vector<PatternNode> chain(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!problem.supported[i]) continue;
    const int64_t reader = dependencies.next[i];
    chain[i] = {rows[i]->domain, rows[i]->op, true,
                reader >= 0 ? static_cast<uint32_t>(reader) : PatternNode::kNone};
  }
  for (PatternMatch& match : FindPatterns(chain)) {
    problem.together.push_back(match.nodes);
    division->patterns.emplace_back(match.pattern, match.nodes);
  }
<% endif %>
  std::vector<NodeGroup> groups;
  EP_RETURN_IF_ERROR(Partition(problem, &groups));
  for (const NodeGroup& group : groups) {
<% if also_kernels %>
    // Nothing would be gained by compiling nodes that all have kernels.
    const auto has_kernel = [&](uint32_t node) { return rows[node]->registered; };
    division->groups.push_back({group, !std::all_of(group.begin(), group.end(), has_kernel)});
<% else %>
    division->groups.push_back({group, true});
<% endif %>
  }
<% if also_kernels %>
  for (uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != nullptr && !rows[i]->compiled) division->groups.push_back({{i}, false});
  }
<% endif %>
  return Status();
}
<% endif %>

}  // namespace <%= ns %>::native
