#include "plugin.h"

#include <utility>

#include "talk.h"

namespace {

constexpr size_t kRoom = 4;  // for factories; what ONNX Runtime gives

// The logger that the library is given is none of the runtime's, which shows nobody any.
int logger = 0;
bool is_virtual = false;
decltype(OrtApi::Logger_LogMessage) log_message = nullptr;
decltype(OrtApi::Logger_GetLoggingSeverityLevel) get_severity = nullptr;

const OrtLogger* Logger() { return reinterpret_cast<const OrtLogger*>(&logger); }

OrtStatus* ORT_API_CALL LogMessage(const OrtLogger* to, OrtLoggingLevel level, const char* message,
                                   const ORTCHAR_T* file, int line, const char* function) noexcept {
  if (to == Logger()) return nullptr;
  return log_message(to, level, message, file, line, function);
}

OrtStatus* ORT_API_CALL GetSeverity(const OrtLogger* of, OrtLoggingLevel* level) noexcept {
  if (of != Logger()) return get_severity(of, level);
  *level = ORT_LOGGING_LEVEL_WARNING;
  return nullptr;
}

// As the runtime does it: under some names a library may offer virtual devices.
OrtStatus* ORT_API_CALL GetEntries(OrtKeyValuePairs** entries) noexcept {
  ort->CreateKeyValuePairs(entries);
  if (is_virtual) ort->AddKeyValuePair(*entries, "allow_virtual_devices", "1");
  return nullptr;
}

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

Plugin::Plugin(const OrtApiBase& base, const std::string& library, std::string name)
    : base_(base),
      ep_(*ort->GetEpApi()),
      library_(library),
      name_(std::move(name)),
      create_(library_.Function<CreateEpApiFactoriesFn>("CreateEpFactories")),
      release_(library_.Function<ReleaseEpApiFactoryFn>("ReleaseEpFactory")),
      log_((log_message = ort->Logger_LogMessage, &ort->Logger_LogMessage), &LogMessage),
      severity_((get_severity = ort->Logger_GetLoggingSeverityLevel,
                 &ort->Logger_GetLoggingSeverityLevel),
                &GetSeverity),
      entries_(&ep_.GetEnvConfigEntries, &GetEntries) {
  is_virtual = EndsWith(name_, ".virtual");
}

void Plugin::Drop() {
  for (OrtEpFactory* factory : factories_) Release(factory);
  factories_.clear();
}

const void* Plugin::code() const {
  const void* address = nullptr;
  static_assert(sizeof create_ == sizeof address, "a function pointer in a pointer");
  std::memcpy(&address, &create_, sizeof address);
  return address;
}

void Plugin::Calling(const std::string& where) {
  if (where == calling_) return;  // said already
  calling_ = where;
  Say("calling", Member("where", where));
}

Answer Plugin::Taken(const std::string& where, OrtStatus* status) {
  if (status == nullptr) return {};
  const Answer answer{true, ort->GetErrorMessage(status)};
  ort->ReleaseStatus(status);
  if (answer.text.empty()) wrong_.push_back(where + ": an error without a text");
  return answer;
}

Answer Plugin::Create(const OrtApiBase* base, OrtEpFactory** factories, size_t room, size_t* count,
                      const std::string& when) {
  const std::string where = when.empty() ? "CreateEpFactories" : "CreateEpFactories, " + when;
  return Ask(where, [&] { return create_(name_.c_str(), base, Logger(), factories, room, count); });
}

Answer Plugin::Release(OrtEpFactory* factory) {
  return Ask("ReleaseEpFactory", [&] { return release_(factory); });
}

OrtEpFactory* Plugin::Factory() {
  if (factories_.empty()) {
    OrtEpFactory* made[kRoom] = {};
    size_t count = 0;
    const Answer answer = Create(&base_, made, kRoom, &count);
    if (answer.failed) throw NotHereError("CreateEpFactories: " + answer.text);
    if (count == 0 || count > kRoom) throw NotHereError("it makes no factory");
    factories_.assign(made, made + count);
  }
  return factories_.front();
}

std::vector<OrtEpDevice*> Plugin::Devices(const std::vector<const OrtHardwareDevice*>& hardware,
                                          size_t room) {
  const std::string where = "OrtEpFactory.GetSupportedDevices";
  OrtEpFactory* factory = Factory();
  std::vector<OrtEpDevice*> devices(room + 1);
  size_t count = room + 91;  // whatever was there before
  const auto get = factory->GetSupportedDevices;
  if (get == nullptr) throw NotHereError(where + " is null");
  const Answer answer = Ask(where, [&] {
    return get(factory, hardware.data(), hardware.size(), devices.data(), room, &count);
  });
  if (answer.failed) {
    wrong_.push_back(where + ": " + answer.text);
    return {};
  }
  if (count > room) {
    wrong_.push_back(where + ": num_ep_devices is " +
                     (count == room + 91 ? "left as it was" : std::to_string(count)) +
                     ", with room for " + std::to_string(room));
    return {};
  }
  if (devices[room] != nullptr) wrong_.push_back(where + ": writes past the room for devices");
  devices.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (devices[i] == nullptr) {
      wrong_.push_back(where + ": device " + std::to_string(i) + " that it counts is null");
      devices.resize(i);
      break;
    }
  }
  return devices;
}

void Plugin::Release(const std::vector<OrtEpDevice*>& devices) {
  for (OrtEpDevice* device : devices) ep_.ReleaseEpDevice(device);
}
