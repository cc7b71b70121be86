<%= banner %>
#include "placement.h"

#include <onnxruntime_session_options_config_keys.h>

#include <cstdio>
#include <map>
#include <string>

namespace sample {
namespace {

// Nodes of one execution provider, by operator.
struct Taken {
  size_t count = 0;
  std::map<std::string, size_t> ops;
};

std::string OpName(const Ort::ConstEpAssignedNode& node) {
  const std::string domain = node.GetDomain();
  return (domain.empty() ? "" : domain + "::") + node.GetOperatorType();
}

}  // namespace

void RecordPlacement(Ort::SessionOptions& options) {
  options.AddConfigEntry(kOrtSessionOptionsRecordEpGraphAssignmentInfo, "1");
}

void PrintPlacement(const Ort::Session& session) {
  std::map<std::string, Taken> taken;
  for (const Ort::ConstEpAssignedSubgraph& part : session.GetEpGraphAssignmentInfo()) {
    Taken& here = taken[part.GetEpName()];
    for (const Ort::ConstEpAssignedNode& node : part.GetNodes()) {
      ++here.count;
      ++here.ops[OpName(node)];
    }
  }
  if (taken.empty()) std::printf("nodes: none is left after the first optimizations\n");
  for (const auto& [ep, here] : taken) {
    std::string ops;
    for (const auto& [op, count] : here.ops) {
      ops += (ops.empty() ? "" : ", ") + op + (count > 1 ? " x " + std::to_string(count) : "");
    }
    std::printf("nodes on %s: %zu (%s)\n", ep.c_str(), here.count, ops.c_str());
  }
}

}  // namespace sample
