<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

<% if device_memory %>
#include "gen/api/kernel.h"
<% endif %>
#include "gen/graph/graph.h"

namespace <%= ns %> {

// Where a value lies during a run.
struct Place {
  enum class Kind : uint8_t {
    kNowhere,
    kInput,     // of the run
    kConstant,  // of the program
    kOutput,    // memory of the caller's
    kSlot,      // a buffer of the workspace, for as long as the value is needed
  };

  Kind kind = Kind::kNowhere;
  uint32_t index = 0;  // of the output, constant or slot
};

// How a graph is run, node by node, in memory that values share one after another.
struct Plan {
  std::vector<Place> places;  // per value of the graph
  size_t slots = 0;
<% if device_memory %>
  // On the device, the above; on the host, for what kernels read or write there:
  std::vector<Place> host_places;
  size_t host_slots = 0;
<% endif %>
  uint64_t workspace = 0;  // bytes of all slots; 0 when they depend on the inputs
};

<% if device_memory %>
// `graph` has been checked; `rows` are its nodes'.
Plan MakePlan(const Graph& graph, const std::vector<const KernelRow*>& rows);

// Whether a mask of a row names a position.
constexpr bool IsOnHost(uint64_t mask, size_t position) noexcept {
  return position < 64 && (mask >> position & 1) != 0;
}
<% else %>
// `graph` has been checked.
Plan MakePlan(const Graph& graph);
<% endif %>

}  // namespace <%= ns %>
