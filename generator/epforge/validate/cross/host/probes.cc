#include "probes.h"

#include <functional>
#include <map>
#include <string>

#include "exhaust.h"
#include "leaks.h"
#include "probes_factory.h"

namespace {

constexpr size_t kRoom = 4;
constexpr int kRounds = 1000;
constexpr int kWarm = 20;
constexpr int kMostPoints = 400;

const OrtApiBase* real = nullptr;

// Tables as a runtime of 2021 has them.
const OrtApi* ORT_API_CALL OldApi(uint32_t version) noexcept {
  return version <= 8 ? real->GetApi(version) : nullptr;
}
const char* ORT_API_CALL OldVersion() noexcept { return "1.8.1"; }

// No table at all.
const OrtApi* ORT_API_CALL NoApi(uint32_t /*version*/) noexcept { return nullptr; }

// An attempt for which there is no good end: the error has to name all of `named`.
void MustRefuse(Plugin* plugin, const std::string& when, const OrtApiBase* base,
                OrtEpFactory** factories, size_t room, size_t* count,
                const std::vector<std::string>& named = {}) {
  const Answer answer = plugin->Create(base, factories, room, count, when);
  const std::string where = "CreateEpFactories, " + when + ": ";
  if (!answer.failed) plugin->wrong().push_back(where + "no error");
  for (const std::string& part : named) {
    if (answer.failed && answer.text.find(part) == std::string::npos) {
      plugin->wrong().push_back(where + "the error does not name " + part + ": " + answer.text);
    }
  }
}

void Entry(Plugin* plugin, const Hardware& /*hardware*/) {
  real = &plugin->base();
  OrtEpFactory* made[kRoom] = {};
  size_t count = 0;
  MustRefuse(plugin, "max_factories 0", real, made, 0, &count);
  if (made[0] != nullptr) plugin->wrong().push_back("CreateEpFactories: writes without room");
  const OrtApiBase old{OldApi, OldVersion};
  MustRefuse(plugin, "a runtime that is too old", &old, made, kRoom, &count, {"1.8"});
  // Nobody can be told anything: only that it returns counts.
  const OrtApiBase none{NoApi, OldVersion};
  plugin->Create(&none, made, kRoom, &count, "a runtime whose GetApi gives null");
}

void Nulls(Plugin* plugin, const Hardware& /*hardware*/) {
  OrtEpFactory* made[kRoom] = {};
  size_t count = 0;
  const OrtApiBase* base = &plugin->base();
  MustRefuse(plugin, "factories null", base, nullptr, kRoom, &count);
  MustRefuse(plugin, "num_factories null", base, made, kRoom, nullptr);
  plugin->Release(nullptr);
}

// Makes and releases all factories.
void MakeFactories(Plugin* plugin, bool* made_any) {
  OrtEpFactory* made[kRoom] = {};
  size_t count = 0;
  const Answer answer = plugin->Create(&plugin->base(), made, kRoom, &count);
  *made_any = !answer.failed;
  for (size_t i = 0; !answer.failed && i < count && i < kRoom; ++i) plugin->Release(made[i]);
}

void ExhaustedEntry(Plugin* plugin) {
  for (int nth = 1; nth <= kMostPoints; ++nth) {
    const Exhausted memory(plugin->code(), nth);
    bool made = false;
    MakeFactories(plugin, &made);
    if (!memory.fired()) return;
    ++plugin->tried;
  }
}

void ExhaustedDevices(Plugin* plugin, const Hardware& hardware) {
  OrtEpFactory* factory = plugin->Factory();
  const auto get = factory->GetSupportedDevices;
  for (int nth = 1; nth <= kMostPoints; ++nth) {
    OrtEpDevice* devices[8] = {};
    size_t count = 0;
    bool fired = false;
    Answer answer;
    {
      const Exhausted memory(plugin->code(), nth);
      answer = plugin->Ask("OrtEpFactory.GetSupportedDevices", [&] {
        return get(factory, hardware.data(), hardware.size(), devices, 8, &count);
      });
      fired = memory.fired();
    }
    if (!answer.failed && count <= 8) {
      plugin->Release(std::vector<OrtEpDevice*>(devices, devices + count));
    }
    if (!fired) return;
    ++plugin->tried;
  }
}

void AllExhausted(Plugin* plugin, const Hardware& hardware) {
  ExhaustedEntry(plugin);
  ExhaustedDevices(plugin, hardware);
}

// Does something again and again: what is allocated may not grow with it.
void Repeat(Plugin* plugin, const std::string& what, const std::function<void()>& once) {
  for (int i = 0; i < kWarm; ++i) once();
  const long long before = LiveBytes();
  for (int i = 0; i < kRounds; ++i) once();
  plugin->tried = kRounds;
  const long long grown = LiveBytes() - before;
  if (before >= 0 && grown >= 8LL * kRounds) {
    plugin->wrong().push_back(what + ": " + std::to_string(grown / kRounds) +
                              " bytes stay behind each time, of " + std::to_string(kRounds));
  }
}

void Factories(Plugin* plugin, const Hardware& /*hardware*/) {
  bool made = true;
  Repeat(plugin, "CreateEpFactories and ReleaseEpFactory", [&] { MakeFactories(plugin, &made); });
  if (!made) throw NotHereError("it makes no factory");
}

// What an enumeration made may have to stay until the factory is released.
void Devices(Plugin* plugin, const Hardware& hardware) {
  Repeat(plugin, "OrtEpFactory.GetSupportedDevices, with a factory for each call", [&] {
    plugin->Release(plugin->Devices(hardware));
    plugin->Drop();
  });
}

using Function = void (*)(Plugin*, const Hardware&);

const std::map<std::string, Function>& Probes() {
  static const std::map<std::string, Function> probes = {
      {"entry", Entry},         {"nulls", Nulls},        {"exhausted", AllExhausted},
      {"factories", Factories}, {"devices", Devices},    {"hardware", ProbeHardware},
      {"memory", ProbeMemory},  {"copies", ProbeCopies}, {"streams", ProbeStreams}};
  return probes;
}

}  // namespace

void Probe(const OrtApiBase& base, const Hardware& hardware, const Command& command) {
  const auto found = Probes().find(command["what"]);
  if (found == Probes().end()) throw std::runtime_error("no such probe: " + command["what"]);
  Plugin plugin(base, command["library"], command["name"]);
  std::string skipped;
  try {
    found->second(&plugin, hardware);
  } catch (const NotHereError& error) {
    skipped = "," + Member("skipped", error.what());
  }
  std::vector<std::string> wrong;
  for (const std::string& text : plugin.wrong()) {
    const std::string quoted = Quoted(text);
    if (wrong.empty() || wrong.back() != quoted) wrong.push_back(quoted);
  }
  if (wrong.size() > 8) wrong.resize(8);
  Say("probe", List("wrong", wrong) + "," + Member("tried", plugin.tried) + skipped);
}
