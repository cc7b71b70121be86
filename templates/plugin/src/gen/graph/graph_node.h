<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gen/api/node.h"
#include "gen/api/status.h"
#include "gen/graph/graph.h"

namespace <%= ns %> {

// A node of a graph as kernels ask for it. The graph's node must outlive the view.
class GraphNodeView final : public Node {
 public:
  explicit GraphNodeView(const GraphNode& node) : node_(node) {}

  int SinceVersion() const override { return node_.since; }
  size_t InputCount() const override { return node_.inputs.size(); }
  size_t OutputCount() const override { return node_.outputs.size(); }

  Status Get(const char* name, int64_t* value, bool* found) const override;
  Status Get(const char* name, float* value, bool* found) const override;
  Status Get(const char* name, std::string* value, bool* found) const override;
  Status Get(const char* name, std::vector<int64_t>* value, bool* found) const override;
  Status Get(const char* name, std::vector<float>* value, bool* found) const override;
  Status Get(const char* name, TensorValue* value, bool* found) const override;
<% if strings_attributes %>
  Status Get(const char* name, std::vector<std::string>* value, bool* found) const override;
<% endif %>

 private:
  template <class T>
  Status Find(const char* name, Attribute::Kind kind, T Attribute::* member, T* value,
              bool* found) const;

  const GraphNode& node_;
};

}  // namespace <%= ns %>
