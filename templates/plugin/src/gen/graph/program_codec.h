<%= banner %>
#pragma once

#include <vector>

#include "gen/api/status.h"
#include "gen/graph/executable.h"
#include "gen/graph/graph.h"

namespace <%= ns %> {

// A graph as a payload; its constants are the chunks, in their order.
std::vector<unsigned char> EncodeGraph(const Graph& graph);

// Reads it back. The payload is whole and nothing more than one, but what it says is not looked at:
// that is up to CheckGraph.
Status DecodeGraph(const Saved& saved, Graph* graph);

}  // namespace <%= ns %>
