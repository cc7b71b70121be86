// Functions of the runtime that take callbacks of the target: those go through the shim, too.
#pragma once

#include "functions.h"

namespace shim {

template <auto Slot>
struct Override {
  template <class F, class... A>
  static auto Call(F real, A... args) {
    return real(args...);
  }
};

template <>
struct Override<&OrtEpApi::KernelRegistry_AddKernel> {
  static OrtStatus* Call(decltype(OrtEpApi::KernelRegistry_AddKernel) real,
                         OrtKernelRegistry* registry, const OrtKernelDef* definition,
                         OrtKernelCreateFunc create, void* state);
};

template <>
struct Override<&OrtEpApi::ReleaseKernelRegistry> {
  static void Call(decltype(OrtEpApi::ReleaseKernelRegistry) real, OrtKernelRegistry* registry);
};

template <>
struct Override<&OrtEpApi::CreateLoopKernel> {
  static OrtStatus* Call(decltype(OrtEpApi::CreateLoopKernel) real, const OrtKernelInfo* info,
                         OrtLoopKernelHelper* helper, OrtKernelImpl** kernel);
};

template <>
struct Override<&OrtEpApi::CreateScanKernel> {
  static OrtStatus* Call(decltype(OrtEpApi::CreateScanKernel) real, const OrtKernelInfo* info,
                         OrtScanKernelHelper* helper, OrtKernelImpl** kernel);
};

template <>
struct Override<&OrtApi::CustomOpDomain_Add> {
  static OrtStatus* Call(decltype(OrtApi::CustomOpDomain_Add) real, OrtCustomOpDomain* domain,
                         const OrtCustomOp* op);
};

template <>
struct Override<&OrtApi::ReleaseCustomOpDomain> {
  static void Call(decltype(OrtApi::ReleaseCustomOpDomain) real, OrtCustomOpDomain* domain);
};

template <>
struct Override<&OrtEpApi::EpGraphSupportInfo_AddNodesToFuse> {
  static OrtStatus* Call(decltype(OrtEpApi::EpGraphSupportInfo_AddNodesToFuse) real,
                         OrtEpGraphSupportInfo* info, const OrtNode* const* nodes, size_t count,
                         const OrtNodeFusionOptions* options);
};

template <>
struct Override<&OrtModelEditorApi::CreateNode> {
  static OrtStatus* Call(decltype(OrtModelEditorApi::CreateNode) real, const char* type,
                         const char* domain, const char* name, const char* const* inputs,
                         size_t input_count, const char* const* outputs, size_t output_count,
                         OrtOpAttr** attributes, size_t attribute_count, OrtNode** node);
};

}  // namespace shim
