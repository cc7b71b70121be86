#include "direct.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "callbacks.h"
#include "json.h"
#include "tables.h"
#include "target.h"
#include "words.h"

namespace shim {
namespace {

std::mutex g_mutex;
const OrtLogger* g_logger = nullptr;
std::vector<std::pair<OrtEpFactory*, const OrtEpDevice*>> g_devices;

constexpr uint32_t kBeforePlugins = 21;
constexpr size_t kRoom = 8;

const OrtApi* OldApi(uint32_t version) {
  const Enter call(kGetApi, false, nullptr);
  return version > kBeforePlugins ? nullptr : Proxied(Real<OrtApi>());
}

const OrtApi* NoApi(uint32_t) {
  const Enter call(kGetApi, false, nullptr);
  return nullptr;
}

const char* OldVersion() { return "1.21.0"; }

constexpr OrtApiBase kOldBase{&OldApi, &OldVersion};
constexpr OrtApiBase kNoBase{&NoApi, &OldVersion};

std::string Error(const std::string& text) {
  JsonObject answer;
  answer.Add("error", text.c_str());
  return answer.Text();
}

// The text of a status, which is released.
std::string TextOf(OrtStatus* status) {
  if (status == nullptr) return "";
  const std::string text = Real<OrtApi>()->GetErrorMessage(status);
  Real<OrtApi>()->ReleaseStatus(status);
  return text;
}

struct Memory {
  OrtMemoryInfo* info = nullptr;
  const OrtMemoryDevice* device = nullptr;

  explicit Memory(const std::string& text) {
    const std::vector<std::string> words = Split(text, ':');
    if (words.size() != 4) return;
    long numbers[4];
    for (size_t i = 0; i < 4; ++i) numbers[i] = std::strtol(words[i].c_str(), nullptr, 0);
    constexpr OrtAllocatorType kDeviceAllocator = 0;
    OrtStatus* status = Real<OrtApi>()->CreateMemoryInfo_V2(
        "epforge-made-up", static_cast<int>(numbers[0]), static_cast<uint32_t>(numbers[1]),
        static_cast<int32_t>(numbers[2]), static_cast<int>(numbers[3]), 0, kDeviceAllocator, &info);
    if (!TextOf(status).empty()) info = nullptr;
    if (info != nullptr) device = Real<OrtEpApi>()->MemoryInfo_GetMemoryDevice(info);
  }
  ~Memory() {
    if (info != nullptr) Real<OrtApi>()->ReleaseMemoryInfo(info);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
};

std::vector<OrtEpFactory*> Factories() {
  const std::lock_guard<std::mutex> lock(g_mutex);
  std::vector<OrtEpFactory*> found;
  for (const auto& entry : g_devices) {
    if (std::find(found.begin(), found.end(), entry.first) == found.end()) {
      found.push_back(entry.first);
    }
  }
  return found;
}

// What one stream can do, in the order in which the runtime would ask it.
void Use(OrtSyncStreamImpl* stream, JsonObject& said) {
  said.Add("handle", uint64_t{stream->GetHandle != nullptr && stream->GetHandle(stream) != nullptr});
  OrtSyncNotificationImpl* notification = nullptr;
  std::string wrong = TextOf(stream->CreateNotification(stream, &notification));
  said.Add("notification", uint64_t{notification != nullptr});
  if (notification != nullptr) {
    if (wrong.empty()) wrong = TextOf(notification->Activate(notification));
    if (wrong.empty()) wrong = TextOf(notification->WaitOnHost(notification));
    notification->Release(notification);
  }
  if (wrong.empty()) wrong = TextOf(stream->Flush(stream));
  said.Add("wrong", wrong.c_str());
}

}  // namespace

void NoteRegistration(const OrtLogger* logger) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  g_logger = logger;
}

void NoteDevice(OrtEpFactory* factory, const OrtEpDevice* device) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  g_devices.emplace_back(factory, device);
}

void DropDevices(const OrtEpFactory* factory) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  g_devices.erase(std::remove_if(g_devices.begin(), g_devices.end(),
                                 [factory](const auto& one) { return one.first == factory; }),
                  g_devices.end());
}

std::string CallCreate(const std::string& how) {
  const bool is_old = how == "old", is_null = how == "null";
  if (!is_old && !is_null && how != "max0") return Error("create max0|old|null");
  if (Real<OrtApi>() == nullptr) return Error("the shim was not registered yet");
  std::string why;
  const Target* target = LoadTarget(why);
  if (target == nullptr) return Error(why);
  const OrtApiBase* base = is_old ? &kOldBase : is_null ? &kNoBase : ProxiedBase();
  const size_t most = how == "max0" ? 0 : kRoom;
  OrtEpFactory* factories[kRoom] = {};
  size_t count = 0;
  OrtStatus* status = Guarded<kCreateEpFactories, OrtStatus*>(
      nullptr,
      [&] { return target->create("epforge.direct", base, g_logger, factories, most, &count); },
      [] {});
  JsonObject answer;
  answer.Add("failed", uint64_t{status != nullptr});
  answer.Add("text", TextOf(status).c_str());
  answer.Add("count", uint64_t{count});
  uint64_t written = 0;
  for (OrtEpFactory* factory : factories) {
    if (factory == nullptr) continue;
    ++written;
    TextOf(Guarded<kReleaseEpFactory, OrtStatus*>(
        factory, [&] { return target->release(factory); }, [] {}));
  }
  answer.Add("written", written);
  return answer.Text();
}

std::string CallCanCopy(const std::string& from, const std::string& to) {
  const Memory source(from), destination(to);
  if (source.device == nullptr || destination.device == nullptr) {
    return Error("a memory is type:vendor:device:kind, in numbers");
  }
  JsonArray answers;
  for (OrtEpFactory* factory : Factories()) {
    OrtDataTransferImpl* transfer = nullptr;
    if (factory->CreateDataTransfer == nullptr) continue;
    const std::string wrong = TextOf(factory->CreateDataTransfer(factory, &transfer));
    if (!wrong.empty()) return Error(wrong);
    if (transfer == nullptr) continue;
    answers.AddRaw(transfer->CanCopy(transfer, source.device, destination.device) ? "true"
                                                                                  : "false");
    transfer->Release(transfer);
  }
  return answers.Text();
}

std::string CallStreams() {
  std::vector<std::pair<OrtEpFactory*, const OrtEpDevice*>> devices;
  {
    const std::lock_guard<std::mutex> lock(g_mutex);
    devices = g_devices;
  }
  constexpr OrtDeviceMemoryType kDefaultMemory = 0;
  JsonArray answers;
  for (const auto& [factory, device] : devices) {
    const OrtMemoryInfo* info = Real<OrtApi>()->EpDevice_MemoryInfo(device, kDefaultMemory);
    JsonObject said;
    said.Add("aware", uint64_t{factory->IsStreamAware != nullptr && factory->IsStreamAware(factory)});
    said.Add("memory", uint64_t{info != nullptr});
    OrtSyncStreamImpl* stream = nullptr;
    if (info != nullptr && factory->CreateSyncStreamForDevice != nullptr) {
      const OrtMemoryDevice* memory = Real<OrtEpApi>()->MemoryInfo_GetMemoryDevice(info);
      const std::string wrong =
          TextOf(factory->CreateSyncStreamForDevice(factory, memory, nullptr, &stream));
      if (!wrong.empty()) said.Add("refused", wrong.c_str());
    }
    said.Add("stream", uint64_t{stream != nullptr});
    if (stream != nullptr) {
      Use(stream, said);
      stream->Release(stream);
    }
    answers.AddRaw(said.Text());
  }
  return answers.Text();
}

}  // namespace shim
