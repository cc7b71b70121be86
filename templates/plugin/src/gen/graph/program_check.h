<%= banner %>
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gen/api/kernel.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/graph/graph.h"

namespace <%= ns %> {

// Fails unless the graph can be run as it is, whoever made it: every number in it points to
// something, every value has one source and is made before it is used, constants are as large as
// their shapes say, and each node fits the kernel that is found for it. `rows` gets one per node.
Status CheckGraph(const Graph& graph, std::vector<const KernelRow*>* rows);

// The error of a node: "Mul node 'm0': ...".
Status Located(const Graph& graph, size_t node, const Status& status);

// Bytes of a tensor. An error for a negative dimension, and for what no memory can hold.
Status CountBytes(DType dtype, const Shape& shape, size_t* bytes);

}  // namespace <%= ns %>
