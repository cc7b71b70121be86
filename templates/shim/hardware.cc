#include "hardware.h"

#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "state.h"
#include "tables.h"
#include "words.h"

namespace shim {
namespace {

struct Device {
  int type;
  uint32_t vendor_id;
  uint32_t device_id;
  std::string vendor;
  std::vector<std::pair<std::string, std::string>> metadata;
};

std::mutex g_mutex;
bool g_in_force = false;
std::vector<Device> g_wanted;
std::vector<const OrtHardwareDevice*> g_made;

// The runtime's device for a description; null if it cannot make one.
OrtHardwareDevice* Make(const Device& device) {
  const OrtApi* api = Real<OrtApi>();
  const OrtEpApi* ep_api = Real<OrtEpApi>();
  OrtKeyValuePairs* metadata = nullptr;
  api->CreateKeyValuePairs(&metadata);
  for (const auto& [key, value] : device.metadata) {
    api->AddKeyValuePair(metadata, key.c_str(), value.c_str());
  }
  OrtHardwareDevice* made = nullptr;
  OrtStatus* status =
      ep_api->CreateHardwareDevice(device.type, device.vendor_id, device.device_id,
                                   device.vendor.c_str(), metadata, &made);
  if (status != nullptr) api->ReleaseStatus(status);
  api->ReleaseKeyValuePairs(metadata);
  return made;
}

}  // namespace

std::string MakeUpHardware(const std::string& list) {
  std::vector<Device> wanted;
  for (const std::string& text : Split(list == "none" || list == "-" ? "" : list, ';')) {
    const std::vector<std::string> words = Split(text, ',');
    if (words.size() < 4) return "a device needs type, vendor id, device id and vendor: " + text;
    Device device{std::atoi(words[0].c_str()),
                  static_cast<uint32_t>(std::strtoul(words[1].c_str(), nullptr, 0)),
                  static_cast<uint32_t>(std::strtoul(words[2].c_str(), nullptr, 0)),
                  Decoded(words[3]),
                  {}};
    for (size_t i = 4; i < words.size(); ++i) {
      const size_t equals = words[i].find('=');
      if (equals == std::string::npos) return "metadata is key=value: " + words[i];
      device.metadata.emplace_back(Decoded(words[i].substr(0, equals)),
                                   Decoded(words[i].substr(equals + 1)));
    }
    wanted.push_back(std::move(device));
  }
  const std::lock_guard<std::mutex> lock(g_mutex);
  g_in_force = list != "-";
  g_wanted = std::move(wanted);
  g_made.clear();  // those made before may be in use: they are the runtime's for good
  return "";
}

void PutMadeUpHardware(const OrtHardwareDevice* const*& devices, size_t& count) {
  constexpr uint32_t kCreateHardwareDeviceSince = 24;
  const std::lock_guard<std::mutex> lock(g_mutex);
  if (!g_in_force || Set().level < kCreateHardwareDeviceSince) return;
  if (g_made.empty()) {
    for (const Device& device : g_wanted) {
      if (OrtHardwareDevice* made = Make(device)) g_made.push_back(made);
    }
  }
  devices = g_made.data();
  count = g_made.size();
}

}  // namespace shim
