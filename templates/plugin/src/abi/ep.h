<%= banner %>
#pragma once

#include <set>
#include <string>

#include "abi/api.h"
#include "abi/factory.h"
#include "abi/logger.h"
#include "gen/api/status.h"
#include "gen/options.h"

namespace <%= ns %> {

// The execution provider of one session.
class Ep : public OrtEp {
 public:
  using Struct = OrtEp;

  Ep(Factory& factory, const Logger& logger, Options options);

  const Api& api() const noexcept { return factory_.api(); }
  Factory& factory() const noexcept { return factory_; }
  const Logger& logger() const noexcept { return logger_; }
  const Options& options() const noexcept { return options_; }

 private:
  // The slots of OrtEp.
  const char* Name() const;
  Status Claim(const OrtGraph* graph, OrtEpGraphSupportInfo* support);
  Status FindRegistry(const OrtKernelRegistry** registry);
  Status AllowsConcurrentRuns(bool* supported);

  // Decides on one node: claimed, or refused with a reason.
  Status Consider(const OrtNode* node, OrtEpGraphSupportInfo* support, bool* claimed);
  void Refuse(const std::string& op, const std::string& reason);

  Factory& factory_;
  const Logger logger_;
  const Options options_;
  std::set<std::string> refused_;  // what has been logged: once per op and reason
};

}  // namespace <%= ns %>
