<%= banner %>
#include "abi/ep.h"

#include <memory>
#include <utility>
#include <vector>

#include "abi/guard.h"
#include "abi/kernel_registry.h"
#include "abi/node_reader.h"
#include "abi/status_bridge.h"

namespace <%= ns %> {

Ep::Ep(Factory& factory, const Logger& logger, Options options)
    : OrtEp(Stamped<OrtEp>(factory.api())),
      factory_(factory),
      logger_(logger),
      options_(std::move(options)) {
  GetName = Callback<&Ep::Name>::Call;
  GetCapability = Callback<&Ep::Claim>::Call;
  GetKernelRegistry = Callback<&Ep::FindRegistry>::Call;
  IsConcurrentRunSupported = Callback<&Ep::AllowsConcurrentRuns>::Call;
  // Compile stays null: nodes are claimed one by one, each with a kernel.
}

const char* Ep::Name() const { return kEpName; }

Status Ep::FindRegistry(const OrtKernelRegistry** registry) {
  return factory_.GetKernelRegistry(registry);
}

// Kernels are immutable, and so is everything else that a run touches.
Status Ep::AllowsConcurrentRuns(bool* supported) {
  *supported = true;
  return Status();
}

// ORT calls this for the graph and for each subgraph in it.
Status Ep::Claim(const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
  size_t count = 0;
  EP_RETURN_IF_ERROR(FromOrt(api(), api().ort->Graph_GetNumNodes(graph, &count)));
  std::vector<const OrtNode*> nodes(count);
  EP_RETURN_IF_ERROR(FromOrt(api(), api().ort->Graph_GetNodes(graph, nodes.data(), count)));
  size_t claimed_count = 0;
  for (const OrtNode* node : nodes) {
    bool claimed = false;
    EP_RETURN_IF_ERROR(Consider(node, support, &claimed));
    if (claimed) ++claimed_count;
  }
  logger_.Info("GetCapability", std::string(kEpName) + " takes " + std::to_string(claimed_count) +
                                    " of " + std::to_string(count) + " nodes");
  return Status();
}

Status Ep::Consider(const OrtNode* node, OrtEpGraphSupportInfo* support, bool* claimed) {
  const char* owner = nullptr;
  EP_RETURN_IF_ERROR(FromOrt(api(), api().ort->Node_GetEpName(node, &owner)));
  if (owner != nullptr && *owner != '\0' && owner != std::string(kEpName)) return Status();

  GraphNode reader(api(), node);
  EP_RETURN_IF_ERROR(reader.Init());
  const std::string op =
      (reader.domain().empty() ? "" : reader.domain() + "::") + reader.op() + "-" +
      std::to_string(reader.SinceVersion());
  const KernelRow* row = FindKernel(reader.domain(), reader.op(), reader.SinceVersion());
  if (row == nullptr || !row->ready) {
    Refuse(op, "there is no kernel for it");
    return Status();
  }
  // ORT compares the element types with those that the kernel is registered for.
  const OrtKernelDef* kernel = nullptr;
  EP_RETURN_IF_ERROR(
      FromOrt(api(), api().ep->EpGraphSupportInfo_LookUpKernel(support, node, &kernel)));
  if (kernel == nullptr) {
    std::string types;
    EP_RETURN_IF_ERROR(reader.InputTypes(&types));
    Refuse(op, "there is no kernel for the element types " + types);
    return Status();
  }
  std::unique_ptr<Kernel> trial;
  const Status made = row->make(reader, trial);
  if (!made.ok()) {
    Refuse(op, made.message());
    return Status();
  }
  EP_RETURN_IF_ERROR(FromOrt(api(), api().ep->EpGraphSupportInfo_AddSingleNode(support, node)));
  *claimed = true;
  return Status();
}

void Ep::Refuse(const std::string& op, const std::string& reason) {
  const std::string text = std::string(kEpName) + " leaves " + op + " alone: " + reason;
  if (refused_.insert(text).second) logger_.Info("GetCapability", text);
}

}  // namespace <%= ns %>
