<%= banner %>
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "abi/api.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// The constants of a model's graph that graphs within its nodes read (the bodies of If, Loop and
// Scan). A compiled model has the inner graphs as they were, but of the constants ORT writes only
// those that are also an input of a node of the outer graph.
class Captures {
 public:
  explicit Captures(const Api& api) noexcept : api_(api) {}

  Status Read(const std::vector<const OrtNode*>& nodes);
  // Notes what the nodes read: it is kept. `any`: do they read something at all that is captured?
  Status Keep(const std::vector<const OrtNode*>& nodes, bool* any);
  // Fails if something is not kept.
  Status Check() const;

 private:
  struct Capture {
    const OrtNode* by;
    bool kept;
  };

  const Api& api_;
  std::map<std::string_view, Capture> captures_;  // by the constant's name
};

}  // namespace <%= ns %>
