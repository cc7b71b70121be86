// What single callbacks need beyond what their types tell.
#pragma once

#include "objects.h"

namespace shim {

// The target's own callback for an object.
template <auto Slot>
struct ObjectHook {
  template <class S>
  static auto Original(const S* object) {
    return OriginalOf<Slot>(object);
  }
};

// Before: objects that go away are forgotten. After: only when the callback did its work.
struct NoHook {
  static constexpr bool kKnowsOuts = false;  // true: `After` sees to what comes out
  template <class... A>
  static void Before(A&&...) {}
  template <class... A>
  static void After(A&&...) {}
};

template <auto Slot>
struct Hook : NoHook {};

// The first argument goes away.
struct ForgetsItself : NoHook {
  template <class S>
  static void Before(S* self) {
    Forget(self);
  }
};

// The second argument goes away.
struct ForgetsArgument : NoHook {
  template <class Self, class S>
  static void Before(Self*, S* object) {
    Forget(object);
  }
};

<% for hook in hooks %>
template <>
struct Hook<&<%= hook.slot %>> : <%= hook.base %> {};
<% endfor %>

template <>
struct Hook<&OrtEpFactory::GetSupportedDevices> : NoHook {
  static constexpr bool kKnowsOuts = true;
  static void Before(OrtEpFactory* self, const OrtHardwareDevice* const*& devices, size_t& count,
                     OrtEpDevice** found, size_t most, size_t* found_count);
  static void After(OrtEpFactory* self, const OrtHardwareDevice* const* devices, size_t count,
                    OrtEpDevice** found, size_t most, size_t* found_count);
};

template <>
struct Hook<&OrtEp::IsConcurrentRunSupported> : NoHook {
  static void After(OrtEp* self, bool* supported);
};

template <>
struct Hook<&OrtEp::Compile> : NoHook {
  static constexpr bool kKnowsOuts = true;
  static void After(OrtEp* self, const OrtGraph** graphs, const OrtNode** nodes, size_t count,
                    OrtNodeComputeInfo** infos, OrtNode** context_nodes);
};

template <>
struct Hook<&OrtEp::ReleaseNodeComputeInfos> : NoHook {
  static constexpr bool kKnowsOuts = true;  // what comes in, and is gone then
  static void Before(OrtEp* self, OrtNodeComputeInfo** infos, size_t count);
};

template <>
struct Hook<&OrtEpFactory::GetCustomOpDomains> : NoHook {
  static constexpr bool kKnowsOuts = true;  // the domains stay the factory's
  static void After(OrtEpFactory* self, OrtCustomOpDomain** domains, size_t count);
};

template <>
struct Hook<&OrtDataTransferImpl::CopyTensors> : NoHook {
  static constexpr bool kKnowsOuts = true;  // arrays of what is the runtime's
};

// Kernels of custom operators are known by their address, not by their operator.
const OrtCustomOp* OperatorOf(const void* kernel);

template <>
struct ObjectHook<&OrtCustomOp::KernelCompute> {
  static auto Original(const void* kernel) {
    return OriginalOf<&OrtCustomOp::KernelCompute>(OperatorOf(kernel));
  }
};

template <>
struct ObjectHook<&OrtCustomOp::KernelComputeV2> {
  static auto Original(const void* kernel) {
    return OriginalOf<&OrtCustomOp::KernelComputeV2>(OperatorOf(kernel));
  }
};

template <>
struct ObjectHook<&OrtCustomOp::KernelDestroy> {
  static auto Original(const void* kernel) {
    return OriginalOf<&OrtCustomOp::KernelDestroy>(OperatorOf(kernel));
  }
};

template <>
struct Hook<&OrtCustomOp::CreateKernelV2> : NoHook {
  static constexpr bool kKnowsOuts = true;
  static void Before(const OrtCustomOp* op, const OrtApi*& api, const OrtKernelInfo* info,
                     void** kernel);
  static void After(const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info,
                    void** kernel);
};

template <>
struct Hook<&OrtCustomOp::CreateKernel> : NoHook {
  static void Before(const OrtCustomOp* op, const OrtApi*& api, const OrtKernelInfo* info);
};

template <>
struct Hook<&OrtCustomOp::KernelDestroy> : NoHook {
  static void Before(const void* kernel);
};

}  // namespace shim
