// What the runtime finds in the library.
#include <atomic>
#include <cstring>
#include <string>

#include "callbacks.h"
#include "control.h"
#include "direct.h"
#include "log.h"
#include "target.h"

#ifdef _WIN32
#define SHIM_EXPORT extern "C" __declspec(dllexport)
#else
#define SHIM_EXPORT extern "C" __attribute__((visibility("default")))
#endif

namespace {

std::atomic<int> g_factories{0};

OrtStatus* Refuse(const OrtApiBase* base, const std::string& why) {
  constexpr OrtErrorCode kFail = 1;
  const OrtApi* api = base->GetApi(1);
  return api == nullptr ? nullptr : api->CreateStatus(kFail, why.c_str());
}

}  // namespace

SHIM_EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base,
                                         const OrtLogger* logger, OrtEpFactory** factories,
                                         size_t most, size_t* count) {
  shim::OpenLog();
  std::string why = shim::MeetRuntime(base);
  const shim::Target* target = why.empty() ? shim::LoadTarget(why) : nullptr;
  if (target == nullptr) return Refuse(base, why);
  shim::NoteRegistration(logger);
  return shim::Guarded<shim::kCreateEpFactories, OrtStatus*>(
      nullptr,
      [&] { return target->create(name, shim::ProxiedBase(), logger, factories, most, count); },
      [&] {
        if (*count > most) {
          shim::Find("out-count", shim::kCreateEpFactories,
                     "says " + std::to_string(*count) + " factories where " +
                         std::to_string(most) + " may be");
        }
        for (size_t i = 0; i < std::min(*count, most); ++i) {
          shim::Adopt(factories[i], shim::kCreateEpFactories);
          ++g_factories;
        }
      });
}

SHIM_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  std::string why;
  const shim::Target* target = shim::LoadTarget(why);
  shim::DropDevices(factory);
  shim::Forget(factory);
  OrtStatus* status = shim::Guarded<shim::kReleaseEpFactory, OrtStatus*>(
      factory, [&] { return target->release(factory); }, [] {});
  if (--g_factories == 0) shim::SettleHandles(true);
  return status;
}

SHIM_EXPORT int EpforgeShimControl(const char* command, char* reply, size_t size) {
  std::string text;
  try {
    text = shim::Answer(command);
  } catch (...) {
    text = "{\"error\": \"the command cannot be understood\"}";
  }
  if (reply != nullptr && size > 0) {
    const size_t length = std::min(text.size(), size - 1);
    std::memcpy(reply, text.data(), length);
    reply[length] = '\0';
  }
  return static_cast<int>(text.size());
}
