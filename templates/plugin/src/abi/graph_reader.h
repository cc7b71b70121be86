<%= banner %>
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "abi/api.h"
#include "abi/bridge.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/graph/graph.h"

namespace <%= ns %> {

// What a graph or a node lists: ReadList<&OrtApi::Node_GetNumInputs, &OrtApi::Node_GetInputs>.
// Optional inputs and outputs that were left out are null.
template <auto Count, auto Get, class Owner, class Item>
Status ReadList(const Api& api, const Owner* owner, std::vector<const Item*>* items) {
  size_t count = 0;
  EP_RETURN_IF_ERROR(FromOrt(api, (api.ort->*Count)(owner, &count)));
  items->assign(count, nullptr);
  if (count == 0) return Status();
  return FromOrt(api, (api.ort->*Get)(owner, items->data(), count));
}

// The name is ORT's, and lives as long as the graph of the value.
Status ReadName(const Api& api, const OrtValueInfo* value, std::string_view* name);

// The element type of a value; kUndefined if it is no tensor, or of a type that nobody knows.
// `value` may be null.
Status ReadElementType(const Api& api, const OrtValueInfo* value, DType* type);

// Reads the groups that ORT wants compiled. A constant that several of them read is copied once.
class GraphReader {
 public:
  explicit GraphReader(const Api& api) noexcept : api_(api) {}
  Status Read(const OrtGraph* graph, Graph* made);

 private:
  Status AddNode(const OrtNode* node);
  Status AddAttributes(const OrtNode* node, GraphNode* made);
  // The index of a value, which is new or known already.
  Status AddValue(const OrtValueInfo* value, uint32_t* index, bool* is_new);
  // A value that nodes read although no node makes it and nobody feeds it: a constant.
  Status AddConstant(const OrtValueInfo* value, uint32_t index);
<% if patterns %>
  void AddPatterns();
<% endif %>

  const Api& api_;
  Graph* graph_ = nullptr;                                // being made
  std::unordered_map<std::string_view, uint32_t> index_;  // of its values
  std::unordered_map<std::string, SharedBytes> copies_;   // of the constants of all, by name
};

}  // namespace <%= ns %>
