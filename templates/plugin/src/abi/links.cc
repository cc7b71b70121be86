<%= banner %>
#include "abi/links.h"

#include "abi/bridge.h"
#include "abi/graph_reader.h"
<% if patterns %>
#include "gen/graph/patterns.h"
<% endif %>

namespace <%= ns %> {

Status Links::Read(PartitionProblem* problem) {
  const auto count = static_cast<uint32_t>(nodes_.size());
  makers_.reserve(count);
  edges_.reserve(2 * nodes_.size());
<% if patterns %>
  first_outputs_.resize(count);
<% endif %>
  for (uint32_t node = 0; node < count; ++node) EP_RETURN_IF_ERROR(AddOutputs(node));
  std::vector<const OrtValueInfo*> inputs;
  for (uint32_t node = 0; node < count; ++node) {
    EP_RETURN_IF_ERROR((ReadList<&OrtApi::Node_GetNumInputs, &OrtApi::Node_GetInputs>(
        api_, nodes_[node], &inputs)));
    EP_RETURN_IF_ERROR(AddInputs(node, inputs));
    // What graphs within the node read of this one.
    EP_RETURN_IF_ERROR(
        (ReadList<&OrtApi::Node_GetNumImplicitInputs, &OrtApi::Node_GetImplicitInputs>(
            api_, nodes_[node], &inputs)));
    EP_RETURN_IF_ERROR(AddInputs(node, inputs));
  }
  // By their origin: how many each node has, then where they begin, then they themselves.
  std::vector<uint32_t>& first = problem->first_successor;
  first.assign(nodes_.size() + 1, 0);
  for (const Edge& edge : edges_) ++first[edge.from + 1];
  for (uint32_t node = 0; node < count; ++node) first[node + 1] += first[node];
  problem->successors.resize(edges_.size());
  std::vector<uint32_t> next = first;
  for (const Edge& edge : edges_) problem->successors[next[edge.from]++] = edge.to;
  return Status();
}
<% if patterns %>

Status Links::FindNext(uint32_t node, uint32_t* next) const {
  *next = PatternNode::kNone;
  const FirstOutput& first = first_outputs_[node];
  if (first.value == nullptr || first.reads != 1) return Status();
  bool leaves = false;
  EP_ORT(api_, ort->ValueInfo_IsGraphOutput(first.value, &leaves));
  if (!leaves) *next = first.reader;
  return Status();
}
<% endif %>

Status Links::AddOutputs(uint32_t node) {
  std::vector<const OrtValueInfo*> outputs;
  EP_RETURN_IF_ERROR((ReadList<&OrtApi::Node_GetNumOutputs, &OrtApi::Node_GetOutputs>(
      api_, nodes_[node], &outputs)));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == nullptr) continue;
    std::string_view name;
    EP_RETURN_IF_ERROR(ReadName(api_, outputs[i], &name));
    makers_.emplace(name, Maker{node, i});
  }
<% if patterns %>
  if (!outputs.empty()) first_outputs_[node].value = outputs[0];
<% endif %>
  return Status();
}

Status Links::AddInputs(uint32_t node, const std::vector<const OrtValueInfo*>& inputs) {
  for (const OrtValueInfo* input : inputs) {
    if (input == nullptr) continue;
    std::string_view name;
    EP_RETURN_IF_ERROR(ReadName(api_, input, &name));
    const auto maker = makers_.find(name);
    if (maker == makers_.end()) continue;
    edges_.push_back({maker->second.node, node});
<% if patterns %>
    if (maker->second.output != 0) continue;
    FirstOutput& first = first_outputs_[maker->second.node];
    ++first.reads;
    first.reader = node;
<% endif %>
  }
  return Status();
}

}  // namespace <%= ns %>
