#include "target.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "allocations.h"
#include "platform.h"
#include "state.h"
#include "tables.h"

namespace shim {
namespace {

std::mutex g_mutex;
Target g_target{};
std::string g_path;
const OrtApiBase* g_base = nullptr;
uint32_t g_level = 0;
std::string g_version;

// The level in "1.27.0"; 0 if it is written in another way.
uint32_t LevelIn(const char* version) {
  const std::string text = version == nullptr ? "" : version;
  if (text.compare(0, 2, "1.") != 0) return 0;
  return static_cast<uint32_t>(std::strtoul(text.c_str() + 2, nullptr, 10));
}

uint32_t WantedLevel() {
  const char* played = std::getenv("EPFORGE_SHIM_PRETEND");
  const uint32_t set = Set().pretend.load();
  if (set != 0) return set;
  return played == nullptr ? 0 : static_cast<uint32_t>(std::strtoul(played, nullptr, 10));
}

const OrtApi* GetApi(uint32_t version) {
  Enter call(kGetApi, false, nullptr);
  if (version == 0 || version > Set().level) {
    call.Failed();
    return nullptr;
  }
  uint32_t before = Set().asked.load();
  while (before < version && !Set().asked.compare_exchange_weak(before, version)) {
  }
  return Proxied(Real<OrtApi>());
}

const char* GetVersionString() {
  const Enter call(kGetVersionString, false, nullptr);
  return g_version.c_str();
}

constexpr OrtApiBase kBase{&GetApi, &GetVersionString};

// The target goes with the shim, not before: its callbacks may be asked about as long.
struct Unloader {
  ~Unloader() {
    if (g_target.library != nullptr) UnloadLibrary(g_target.library);
  }
} g_unloader;

}  // namespace

const Target* LoadTarget(std::string& error) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  const char* path = std::getenv("EPFORGE_SHIM_TARGET");
  if (g_target.library != nullptr && (path == nullptr || g_path == path)) return &g_target;
  if (path == nullptr || *path == '\0') {
    error = "EPFORGE_SHIM_TARGET names no library";
    return nullptr;
  }
  if (g_target.library != nullptr) {
    error = "the shim stands in front of " + g_path + " already";
    return nullptr;
  }
  void* library = LoadLibraryFile(path, error);
  if (library == nullptr) {
    error = "cannot load " + std::string(path) + ": " + error;
    return nullptr;
  }
  Target loaded{library,
                reinterpret_cast<CreateEpFactoriesFn>(SymbolOf(library, "CreateEpFactories")),
                reinterpret_cast<ReleaseEpFactoryFn>(SymbolOf(library, "ReleaseEpFactory"))};
  if (loaded.create == nullptr || loaded.release == nullptr) {
    error = std::string(path) + " does not export CreateEpFactories and ReleaseEpFactory";
    UnloadLibrary(library);
    return nullptr;
  }
  NoteImage(path);
  FollowAllocations();
  g_target = loaded;
  g_path = path;
  return &g_target;
}

const OrtApiBase* ProxiedBase() { return &kBase; }

std::string MeetRuntime(const OrtApiBase* base) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  const char* version = base->GetVersionString();
  const uint32_t own = LevelIn(version);
  if (own < kOldest) {
    return "epforge's shim knows runtimes since 1." + std::to_string(kOldest) + ", this is " +
           (version == nullptr ? "" : version);
  }
  const uint32_t wanted = WantedLevel();
  const uint32_t known = std::min(own, kNewest);  // a newer runtime is a good older one
  const uint32_t level = wanted == 0 ? known : std::min(wanted, known);
  if (base == g_base && level == g_level) return "";
  const OrtApi* api = base->GetApi(std::max(level, kOldest));
  if (api == nullptr) return "the runtime has no table of functions for its own level";
  FillTables(api, level);
  Set().level = level;
  g_version = level == own ? version : "1." + std::to_string(level) + ".0";
  g_base = base;
  g_level = level;
  return "";
}

}  // namespace shim
