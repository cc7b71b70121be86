<%= banner %>
#pragma once

#include <set>
#include <string>

#include "abi/factory.h"
#include "abi/logger.h"
#include "gen/api/status.h"
<% if options %>
#include "gen/options.h"
<% endif %>

namespace <%= ns %> {

// The execution provider of one session.
class Ep final : public OrtEp {
 public:
  using Struct = OrtEp;

  Ep(Factory& factory, const Logger& logger);
  // Reads what the session wants of us; what it does not get is an error. `session` is only lent.
  Status Init(const OrtSessionOptions* session);

  Factory& factory() const noexcept { return factory_; }
  const Api& api() const noexcept { return factory_.api(); }
<% if options %>
  const Options& options() const noexcept { return options_; }
<% endif %>

 private:
  // The callbacks.
  const char* Name() const { return kEpName; }
  Status Claim(const OrtGraph* graph, OrtEpGraphSupportInfo* support);
  Status KernelsOfAllSessions(const OrtKernelRegistry** kernels) {
    return factory_.GetKernelRegistry(kernels);
  }
  Status ConcurrentRuns(bool* supported) {
    *supported = true;  // kernels are immutable, and so is everything else that a run touches
    return Status();
  }

  // Claims one node, or leaves the reason why not in `refusal`.
  Status Consider(const OrtNode* node, OrtEpGraphSupportInfo* support, std::string* refusal);

  Factory& factory_;
  const Logger logger_;
<% if options %>
  Options options_;
<% endif %>
  std::set<std::string> refusals_;  // those that have been logged
};

}  // namespace <%= ns %>
