<%= banner %>
#include "gen/graph/program_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "gen/graph/program_check.h"

namespace <%= ns %> {
namespace {

constexpr uint64_t kUnknown = UINT64_MAX;
constexpr uint64_t kAlignment = 64;

// Buffers that values take, give back, and take again.
class Slots {
 public:
  uint32_t Take(uint64_t size) {
    // The smallest that is large enough; else, and for what is not known yet, the largest.
    auto found = free_.lower_bound({size, 0});
    if (found == free_.end() && !free_.empty()) --found;
    uint32_t slot = static_cast<uint32_t>(sizes_.size());
    if (found == free_.end()) {
      sizes_.push_back(0);
    } else {
      slot = found->second;
      free_.erase(found);
    }
    if (size == kUnknown) {
      is_known_ = false;
    } else {
      sizes_[slot] = std::max(sizes_[slot], size);
    }
    return slot;
  }
  void Give(uint32_t slot) { free_.emplace(sizes_[slot], slot); }

  size_t count() const { return sizes_.size(); }
  // Adds up the sizes; false where they are not known, or beyond all memory.
  bool AddTo(uint64_t* total) const {
    for (uint64_t size : sizes_) {
      if (size > (kUnknown >> 1) - *total) return false;
      *total += size;
    }
    return is_known_;
  }

 private:
  std::vector<uint64_t> sizes_;
  std::set<std::pair<uint64_t, uint32_t>> free_;
  bool is_known_ = true;
};

// The bytes of a value, as far as the model tells.
uint64_t SizeOfValue(const GraphValue& value) {
  size_t bytes = 0;
  if (!value.has_shape || !CountBytes(value.dtype, value.shape, &bytes).ok()) return kUnknown;
  return std::max<uint64_t>((bytes + kAlignment - 1) / kAlignment, 1) * kAlignment;
}

class Planner {
 public:
<% if device_memory %>
  Planner(const Graph& graph, const std::vector<const KernelRow*>& rows)
      : graph_(graph), rows_(rows), uses_(graph.values.size()) {
    plan_.host_places.resize(graph.values.size());
<% else %>
  explicit Planner(const Graph& graph) : graph_(graph), uses_(graph.values.size()) {
<% endif %>
    plan_.places.resize(graph.values.size());
  }

  Plan Make() {
    FindUses();
    PlaceGiven();
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      for (uint32_t value : node.outputs) PlaceMade(value);
      for (uint32_t value : node.outputs) Release(value, i);
      for (uint32_t value : node.inputs) Release(value, i);
    }
    plan_.slots = slots_.count();
    bool is_known = slots_.AddTo(&plan_.workspace);
<% if device_memory %>
    plan_.host_slots = host_slots_.count();
    is_known = host_slots_.AddTo(&plan_.workspace) && is_known;
<% endif %>
    if (!is_known) plan_.workspace = 0;
    return std::move(plan_);
  }

 private:
  struct Use {
    size_t last = 0;  // the node after which nobody reads the value any more
    bool released = false;
<% if device_memory %>
    bool device = false;  // read or written there
    bool host = false;
<% endif %>
  };

<% if device_memory %>
  void FindUses() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      for (size_t j = 0; j < node.inputs.size(); ++j) {
        Note(node.inputs[j], i, IsOnHost(rows_[i]->host_inputs, j));
      }
      for (size_t j = 0; j < node.outputs.size(); ++j) {
        Note(node.outputs[j], i, IsOnHost(rows_[i]->host_outputs, j));
      }
    }
    for (uint32_t value : graph_.outputs) uses_[value].device = true;
  }
  void Note(uint32_t value, size_t node, bool on_host) {
    if (value == GraphNode::kAbsent) return;
    Use& use = uses_[value];
    use.last = node;
    (on_host ? use.host : use.device) = true;
  }
<% else %>
  void FindUses() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      for (const std::vector<uint32_t>* values : {&node.inputs, &node.outputs}) {
        for (uint32_t value : *values) {
          if (value != GraphNode::kAbsent) uses_[value].last = i;
        }
      }
    }
  }
<% endif %>

  void PlaceGiven() {
    for (uint32_t i = 0; i < graph_.constants.size(); ++i) {
      const uint32_t value = graph_.constants[i].value;
<% if device_memory %>
      if (uses_[value].device) plan_.places[value] = {Place::Kind::kConstant, i};
      if (uses_[value].host) plan_.host_places[value] = {Place::Kind::kConstant, i};
<% else %>
      plan_.places[value] = {Place::Kind::kConstant, i};
<% endif %>
    }
    for (uint32_t i = 0; i < graph_.inputs.size(); ++i) {
      plan_.places[graph_.inputs[i]] = {Place::Kind::kInput, i};
<% if device_memory %>
      PlaceOnHost(graph_.inputs[i]);
<% endif %>
    }
    for (uint32_t i = 0; i < graph_.outputs.size(); ++i) {
      plan_.places[graph_.outputs[i]] = {Place::Kind::kOutput, i};
    }
  }

  void PlaceMade(uint32_t value) {
    if (value == GraphNode::kAbsent) return;
    Place& place = plan_.places[value];
<% if device_memory %>
    PlaceOnHost(value);
    if (!uses_[value].device) return;
<% endif %>
    if (place.kind == Place::Kind::kOutput) return;
    place = {Place::Kind::kSlot, slots_.Take(SizeOfValue(graph_.values[value]))};
  }
<% if device_memory %>

  void PlaceOnHost(uint32_t value) {
    if (!uses_[value].host) return;
    const uint64_t size = SizeOfValue(graph_.values[value]);
    plan_.host_places[value] = {Place::Kind::kSlot, host_slots_.Take(size)};
  }
<% endif %>

  void Release(uint32_t value, size_t node) {
    if (value == GraphNode::kAbsent) return;
    Use& use = uses_[value];
    if (use.released || use.last != node) return;
    use.released = true;
    const Place& place = plan_.places[value];
    if (place.kind == Place::Kind::kSlot) slots_.Give(place.index);
<% if device_memory %>
    const Place& host = plan_.host_places[value];
    if (host.kind == Place::Kind::kSlot) host_slots_.Give(host.index);
<% endif %>
  }

  const Graph& graph_;
<% if device_memory %>
  const std::vector<const KernelRow*>& rows_;
<% endif %>
  std::vector<Use> uses_;  // per value
  Slots slots_;
<% if device_memory %>
  Slots host_slots_;
<% endif %>
  Plan plan_;
};

}  // namespace

<% if device_memory %>
Plan MakePlan(const Graph& graph, const std::vector<const KernelRow*>& rows) {
  return Planner(graph, rows).Make();
}
<% else %>
Plan MakePlan(const Graph& graph) { return Planner(graph).Make(); }
<% endif %>

}  // namespace <%= ns %>
