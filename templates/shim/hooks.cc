#include "hooks.h"

#include <mutex>
#include <unordered_map>

#include "callbacks.h"
#include "direct.h"
#include "handles.h"
#include "hardware.h"
#include "state.h"
#include "tables.h"

namespace shim {
namespace {

std::mutex g_kernels_mutex;
std::unordered_map<const void*, const OrtCustomOp*> g_kernels;

}  // namespace

void Hook<&OrtEpFactory::GetSupportedDevices>::Before(OrtEpFactory*,
                                                      const OrtHardwareDevice* const*& devices,
                                                      size_t& count, OrtEpDevice**, size_t,
                                                      size_t*) {
  PutMadeUpHardware(devices, count);
}

void Hook<&OrtEpFactory::GetSupportedDevices>::After(OrtEpFactory* self, const OrtHardwareDevice* const*,
                                                     size_t, OrtEpDevice** found, size_t most,
                                                     size_t* found_count) {
  if (found == nullptr || found_count == nullptr) return;
  const int function = InnermostFunction();
  size_t count = *found_count;
  const bool is_counted = count <= most;
  if (!is_counted) {
    Find("out-count", function,
         "says " + std::to_string(count) + " devices where " + std::to_string(most) + " may be");
    count = most;
  }
  size_t kept = 0;  // what is null or has no room is kept from the runtime, which would crash
  for (size_t i = 0; i < count; ++i) {
    if (found[i] == nullptr) {
      if (is_counted) Find("null-device", function, "device " + std::to_string(i) + " is null");
      continue;
    }
    Given(Kind::kEpDevice, found[i]);
    NoteDevice(self, found[i]);
    found[kept++] = found[i];
  }
  *found_count = kept;
}

void Hook<&OrtEp::IsConcurrentRunSupported>::After(OrtEp*, bool* supported) {
  if (supported != nullptr) Set().concurrent = *supported ? 1 : 0;
}

void Hook<&OrtEp::Compile>::After(OrtEp*, const OrtGraph**, const OrtNode**, size_t count,
                                  OrtNodeComputeInfo** infos, OrtNode** context_nodes) {
  for (size_t i = 0; infos != nullptr && i < count; ++i) {
    if (infos[i] == nullptr) {
      Find("null-result", InnermostFunction(), "node_compute_infos[" + std::to_string(i) + "] is null");
    }
    Adopt(infos[i], InnermostFunction());
  }
  for (size_t i = 0; context_nodes != nullptr && i < count; ++i) {
    Given(Kind::kNode, context_nodes[i]);
  }
}

void Hook<&OrtEp::ReleaseNodeComputeInfos>::Before(OrtEp*, OrtNodeComputeInfo** infos,
                                                   size_t count) {
  for (size_t i = 0; infos != nullptr && i < count; ++i) Forget(infos[i]);
}

void Hook<&OrtEpFactory::GetCustomOpDomains>::After(OrtEpFactory*, OrtCustomOpDomain** domains,
                                                     size_t count) {
  for (size_t i = 0; domains != nullptr && i < count; ++i) {
    if (domains[i] != nullptr) continue;
    Find("null-result", InnermostFunction(), "domains[" + std::to_string(i) + "] is null");
  }
}

const OrtCustomOp* OperatorOf(const void* kernel) {
  const std::lock_guard<std::mutex> lock(g_kernels_mutex);
  const auto found = g_kernels.find(kernel);
  return found == g_kernels.end() ? nullptr : found->second;
}

void Hook<&OrtCustomOp::CreateKernel>::Before(const OrtCustomOp*, const OrtApi*& api,
                                              const OrtKernelInfo*) {
  api = Proxied(api);
}

void Hook<&OrtCustomOp::CreateKernelV2>::Before(const OrtCustomOp*, const OrtApi*& api,
                                                const OrtKernelInfo*, void**) {
  api = Proxied(api);
}

void Hook<&OrtCustomOp::CreateKernelV2>::After(const OrtCustomOp* op, const OrtApi*,
                                               const OrtKernelInfo*, void** kernel) {
  if (kernel == nullptr || *kernel == nullptr) return;
  const std::lock_guard<std::mutex> lock(g_kernels_mutex);
  g_kernels[*kernel] = op;
}

void Hook<&OrtCustomOp::KernelDestroy>::Before(const void* kernel) {
  const std::lock_guard<std::mutex> lock(g_kernels_mutex);
  g_kernels.erase(kernel);
}

}  // namespace shim
