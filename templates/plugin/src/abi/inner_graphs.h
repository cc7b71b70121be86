<%= banner %>
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "abi/api.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// The inner graphs of a model (the bodies of If, Loop and Scan) in a session that writes a compiled
// model. ORT writes them as they were, but not all that they need: neither large constants of their
// own, nor those of the outer graph that no node there has as an input.
class InnerGraphs {
 public:
  explicit InnerGraphs(const Api& api) noexcept : api_(api) {}

  // The nodes of the model's own graph.
  Status Read(const std::vector<const OrtNode*>& nodes);
  // May an EPContext node take the place of this one?
  Status MayCompile(const OrtNode* node, bool* may) const;
  // Notes that constants which these nodes read are written. `any`: does an inner graph read one of
  // them as well?
  Status Keep(const std::vector<const OrtNode*>& nodes, bool* any);
  // Fails if a constant is not written.
  Status Check() const;

 private:
  struct Value {
    const OrtNode* reader;  // the node with the inner graph
    bool constant;
    bool written;
  };

  Status ReadOuter(const OrtNode* node);
  // Of the graphs within `node`, which lies in `reader` or is it.
  Status ReadConstants(const OrtNode* node, const OrtNode* reader);

  const Api& api_;
  std::map<std::string_view, Value> values_;  // what they read of the model's own graph
  Status constants_;                          // an error if theirs are not written
};

}  // namespace <%= ns %>
