#include "overrides.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "callbacks.h"
#include "handles.h"
#include "objects.h"

namespace shim {
namespace {

struct Creator {
  OrtKernelCreateFunc create;
  void* state;
};

std::mutex g_creators_mutex;
std::map<const OrtKernelRegistry*, std::vector<std::unique_ptr<Creator>>> g_creators;

std::mutex g_operators_mutex;
std::map<const OrtCustomOpDomain*, std::vector<const OrtCustomOp*>> g_operators;

// What the runtime calls to make a kernel.
OrtStatus* CreateKernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) {
  const Creator& creator = *static_cast<const Creator*>(state);
  return Guarded<kKernelCreateFunc, OrtStatus*>(
      state, [&] { return creator.create(creator.state, info, kernel); },
      [&] {
        if (kernel == nullptr || *kernel == nullptr) return;
        if (!Given(Kind::kKernelImpl, *kernel)) Adopt(*kernel, kKernelCreateFunc);
      });
}

}  // namespace

OrtStatus* Override<&OrtEpApi::KernelRegistry_AddKernel>::Call(
    decltype(OrtEpApi::KernelRegistry_AddKernel) real, OrtKernelRegistry* registry,
    const OrtKernelDef* definition, OrtKernelCreateFunc create, void* state) {
  if (create == nullptr) return real(registry, definition, create, state);
  auto creator = std::make_unique<Creator>(Creator{create, state});
  OrtStatus* status = real(registry, definition, &CreateKernel, creator.get());
  if (status == nullptr) {
    const std::lock_guard<std::mutex> lock(g_creators_mutex);
    g_creators[registry].push_back(std::move(creator));
  }
  return status;
}

void Override<&OrtEpApi::ReleaseKernelRegistry>::Call(
    decltype(OrtEpApi::ReleaseKernelRegistry) real, OrtKernelRegistry* registry) {
  std::vector<std::unique_ptr<Creator>> creators;  // of use until the registry is gone
  {
    const std::lock_guard<std::mutex> lock(g_creators_mutex);
    const auto found = g_creators.find(registry);
    if (found != g_creators.end()) {
      creators = std::move(found->second);
      g_creators.erase(found);
    }
  }
  real(registry);
}

OrtStatus* Override<&OrtEpApi::CreateLoopKernel>::Call(decltype(OrtEpApi::CreateLoopKernel) real,
                                                       const OrtKernelInfo* info,
                                                       OrtLoopKernelHelper* helper,
                                                       OrtKernelImpl** kernel) {
  Adopt(helper, InnermostFunction());
  return real(info, helper, kernel);
}

OrtStatus* Override<&OrtEpApi::CreateScanKernel>::Call(decltype(OrtEpApi::CreateScanKernel) real,
                                                       const OrtKernelInfo* info,
                                                       OrtScanKernelHelper* helper,
                                                       OrtKernelImpl** kernel) {
  Adopt(helper, InnermostFunction());
  return real(info, helper, kernel);
}

OrtStatus* Override<&OrtApi::CustomOpDomain_Add>::Call(decltype(OrtApi::CustomOpDomain_Add) real,
                                                       OrtCustomOpDomain* domain,
                                                       const OrtCustomOp* op) {
  Adopt(const_cast<OrtCustomOp*>(op), InnermostFunction());
  OrtStatus* status = real(domain, op);
  const std::lock_guard<std::mutex> lock(g_operators_mutex);
  g_operators[domain].push_back(op);
  return status;
}

void Override<&OrtApi::ReleaseCustomOpDomain>::Call(decltype(OrtApi::ReleaseCustomOpDomain) real,
                                                    OrtCustomOpDomain* domain) {
  std::vector<const OrtCustomOp*> operators;
  {
    const std::lock_guard<std::mutex> lock(g_operators_mutex);
    const auto found = g_operators.find(domain);
    if (found != g_operators.end()) {
      operators = std::move(found->second);
      g_operators.erase(found);
    }
  }
  for (const OrtCustomOp* op : operators) Lose(op);
  real(domain);
}

OrtStatus* Override<&OrtEpApi::EpGraphSupportInfo_AddNodesToFuse>::Call(
    decltype(OrtEpApi::EpGraphSupportInfo_AddNodesToFuse) real, OrtEpGraphSupportInfo* info,
    const OrtNode* const* nodes, size_t count, const OrtNodeFusionOptions* options) {
  if (options != nullptr) {
    constexpr StructId id = StructId::kNodeFusionOptions;
    LevelOf(id, StampOf(*options), InnermostFunction());
    NoteStamp(id, StampOf(*options), 0, 0);
  }
  return real(info, nodes, count, options);
}

OrtStatus* Override<&OrtModelEditorApi::CreateNode>::Call(
    decltype(OrtModelEditorApi::CreateNode) real, const char* type, const char* domain,
    const char* name, const char* const* inputs, size_t input_count, const char* const* outputs,
    size_t output_count, OrtOpAttr** attributes, size_t attribute_count, OrtNode** node) {
  const size_t count = attributes == nullptr ? 0 : attribute_count;
  const std::vector<const OrtOpAttr*> before(attributes, attributes + count);
  OrtStatus* status = real(type, domain, name, inputs, input_count, outputs, output_count,
                           attributes, attribute_count, node);
  for (size_t i = 0; i < count; ++i) {
    if (attributes[i] == nullptr) Given(Kind::kOpAttr, before[i]);
  }
  return status;
}

}  // namespace shim
