<%= banner %>
#include "devices.h"

#include <cstdio>
#include <map>
#include <set>

#include "failure.h"
#include "package.h"

namespace sample {
namespace {

constexpr char kVirtual[] = ".virtual";

const char* TypeName(OrtHardwareDeviceType type) {
  switch (type) {
    case OrtHardwareDeviceType_CPU:
      return "CPU";
    case OrtHardwareDeviceType_GPU:
      return "GPU";
    case OrtHardwareDeviceType_NPU:
      return "NPU";
  }
  return "unknown type";
}

bool EndsIn(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void PrintPairs(const Ort::ConstKeyValuePairs& pairs) {
  const auto unsorted = pairs.GetKeyValuePairs();
  for (const auto& [key, value] : std::map(unsorted.begin(), unsorted.end())) {
    std::printf("    %s = %s\n", key.c_str(), value.c_str());
  }
}

void PrintDevice(const std::string& number, const Ort::ConstEpDevice& device) {
  const Ort::ConstHardwareDevice hardware = device.Device();
  std::printf("device %s: %s (%s), %s by %s, vendor 0x%04X, device 0x%04X\n", number.c_str(),
              device.EpName(), device.EpVendor(), TypeName(hardware.Type()), hardware.Vendor(),
              hardware.VendorId(), hardware.DeviceId());
  PrintPairs(device.EpMetadata());
  PrintPairs(hardware.Metadata());
}

// Why there is no device though the library is registered.
[[noreturn]] void FailWithoutDevice(const Ort::Env& env, const Registration& plugin) {
  std::set<std::string> others;
  for (const Ort::ConstEpDevice& device : env.GetEpDevices()) others.insert(device.EpName());
  for (const std::string& name : plugin.before()) others.erase(name);
  const std::string start = plugin.file().string() + " is registered";
  if (!others.empty()) {
    throw Failure(start + ", but it is the library of " + *others.begin() + ", not of " + kEpName +
                  ": correct --library");
  }
  std::string text = start + ", but offers no device on this machine. Registration is not the " +
                     "problem: the hardware that " + kEpName + " is for is not here";
  if (EndsIn(kRegistrationName, kVirtual) && !EndsIn(plugin.name(), kVirtual)) {
    text += ". A name that ends in .virtual makes a virtual device: --name " +
            std::string(kRegistrationName);
  }
  throw Failure(text);
}

}  // namespace

std::vector<Ort::ConstEpDevice> PluginDevices(const Ort::Env& env) {
  std::vector<Ort::ConstEpDevice> ours;
  for (const Ort::ConstEpDevice& device : env.GetEpDevices()) {
    if (std::string(device.EpName()) == kEpName) ours.push_back(device);
  }
  return ours;
}

void PrintDevices(const Ort::Env& env) {
  size_t number = 0;
  for (const Ort::ConstEpDevice& device : env.GetEpDevices()) {
    const bool ours = std::string(device.EpName()) == kEpName;
    PrintDevice(ours ? std::to_string(number++) : "-", device);
  }
}

Ort::ConstEpDevice PickDevice(const Ort::Env& env, const Registration& plugin, size_t number) {
  const std::vector<Ort::ConstEpDevice> devices = PluginDevices(env);
  if (devices.empty()) FailWithoutDevice(env, plugin);
  if (number >= devices.size()) {
    throw Failure("there is no device " + std::to_string(number) + ": " + kEpName + " offers " +
                  std::to_string(devices.size()) + ", counted from 0; --list shows them");
  }
  return devices[number];
}

}  // namespace sample
