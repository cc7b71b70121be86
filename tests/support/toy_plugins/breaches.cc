// An execution provider that takes no node, and breaks the contract of the API in the one way that
// TOY_BREACH names. Each breach is one that a real library committed.
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "onnxruntime_c_api.h"

namespace {

const OrtApi* g_api = nullptr;
const OrtEpApi* g_ep_api = nullptr;

bool Breaks(const char* breach) {
  const char* wanted = std::getenv("TOY_BREACH");
  return wanted != nullptr && std::strcmp(wanted, breach) == 0;
}

struct Ep : OrtEp {
  Ep() : OrtEp{} {
    ort_version_supported = Breaks("bad-stamp") ? 99 : 24;
    OrtEp::GetName = [](const OrtEp*) noexcept { return "BreachesExecutionProvider"; };
    OrtEp::GetCapability = [](OrtEp*, const OrtGraph*, OrtEpGraphSupportInfo*) noexcept {
      return Ep::Capability();
    };
    if (Breaks("bad-slot")) std::memset(&(OrtEp::SetDynamicOptions), 0x5a, sizeof(void*));
  }

  static OrtStatus* Capability() {
    if (Breaks("returned-released-status")) {
      OrtStatus* status = g_api->CreateStatus(ORT_FAIL, "gone");
      g_api->ReleaseStatus(status);
      return status;
    }
    if (Breaks("error-without-text")) return g_api->CreateStatus(ORT_FAIL, "");
    return nullptr;
  }
};

OrtStatus* CreateEp(OrtEpFactory*, const OrtHardwareDevice* const*, const OrtKeyValuePairs* const*,
                    size_t, const OrtSessionOptions* options, const OrtLogger*, OrtEp** ep) {
  if (Breaks("exception-left-callback")) throw std::runtime_error("thrown on purpose");
  OrtKeyValuePairs* entries = nullptr;
  if (OrtStatus* status = g_api->GetSessionOptionsConfigEntries(options, &entries)) return status;
  g_api->ReleaseKeyValuePairs(entries);
  if (Breaks("used-after-release")) static_cast<void>(g_api->GetKeyValue(entries, "key"));
  if (Breaks("released-twice")) g_api->ReleaseKeyValuePairs(entries);
  if (Breaks("leaked")) {
    OrtMemoryInfo* info = nullptr;
    OrtStatus* status =
        g_api->CreateMemoryInfo("Cpu", OrtDeviceAllocator, 0, OrtMemTypeDefault, &info);
    if (status != nullptr) return status;
  }
  if (Breaks("leaked-status")) {
    static_cast<void>(g_api->CreateStatus(ORT_FAIL, "dropped"));
  }
  if (Breaks("unknown-handle")) {
    OrtAllocator* allocator = nullptr;
    if (OrtStatus* status = g_api->GetAllocatorWithDefaultOptions(&allocator)) return status;
    g_api->ReleaseMemoryInfo(const_cast<OrtMemoryInfo*>(allocator->Info(allocator)));
  }
  if (Breaks("null-argument")) {
    if (OrtStatus* status = g_api->GetSessionOptionsConfigEntries(nullptr, &entries)) {
      g_api->ReleaseStatus(status);
    }
  }
  if (Breaks("function-newer-than-runtime")) {
    int enabled = 0;
    if (OrtStatus* status = g_api->GetMemPatternEnabled(options, &enabled)) {
      g_api->ReleaseStatus(status);
    }
  }
  if (Breaks("null-result")) return nullptr;
  *ep = new Ep();
  return nullptr;
}

OrtStatus* GetSupportedDevices(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                               size_t count, OrtEpDevice** found, size_t most,
                               size_t* found_count) noexcept {
  *found_count = 0;
  for (size_t i = 0; i < count && *found_count < most; ++i) {
    if (g_api->HardwareDevice_Type(devices[i]) != OrtHardwareDeviceType_CPU) continue;
    OrtStatus* status =
        g_ep_api->CreateEpDevice(self, devices[i], nullptr, nullptr, &found[*found_count]);
    if (status != nullptr) return status;
    ++*found_count;
    break;
  }
  if (Breaks("null-device")) found[(*found_count)++] = nullptr;
  if (Breaks("out-count")) *found_count = most + 1;
  return nullptr;
}

struct Factory : OrtEpFactory {
  Factory() : OrtEpFactory{} {
    ort_version_supported = 24;
    OrtEpFactory::GetName = [](const OrtEpFactory*) noexcept { return "BreachesExecutionProvider"; };
    OrtEpFactory::GetVendor = [](const OrtEpFactory*) noexcept { return "Toy"; };
    OrtEpFactory::GetVersion = [](const OrtEpFactory*) noexcept {
      return Breaks("null-text") ? nullptr : "0.1.0";
    };
    OrtEpFactory::GetSupportedDevices = &::GetSupportedDevices;
    // It may throw, which the type of the slot denies.
    OrtEpFactory::CreateEp = reinterpret_cast<decltype(OrtEpFactory::CreateEp)>(&::CreateEp);
    OrtEpFactory::CreateDataTransfer = [](OrtEpFactory*, OrtDataTransferImpl** out) noexcept {
      *out = nullptr;
      return static_cast<OrtStatus*>(nullptr);
    };
    OrtEpFactory::IsStreamAware = [](const OrtEpFactory*) noexcept { return false; };
    OrtEpFactory::ReleaseEp = [](OrtEpFactory*, OrtEp* ep) noexcept { delete static_cast<Ep*>(ep); };
    if (Breaks("missing-callback")) return;
    OrtEpFactory::GetVendorId = [](const OrtEpFactory*) noexcept -> uint32_t { return 1; };
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) OrtStatus* CreateEpFactories(
    const char*, const OrtApiBase* base, const OrtLogger*, OrtEpFactory** factories, size_t most,
    size_t* count) {
  g_api = base->GetApi(24);
  if (g_api == nullptr || most == 0) return nullptr;
  g_ep_api = g_api->GetEpApi();
  factories[0] = new Factory();
  *count = 1;
  return nullptr;
}

extern "C" __attribute__((visibility("default"))) OrtStatus* ReleaseEpFactory(
    OrtEpFactory* factory) {
  delete static_cast<Factory*>(factory);
  return nullptr;
}
