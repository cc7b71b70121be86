<%= banner %>
// Which compiled models fit which hardware: the factory's answers about devices that are made up.
#include "abi/compatibility.h"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "abi/factory.h"
#include "check.h"
#include "gen/devices.h"
#include "gen/identity.h"

namespace <%= ns %>::test {
namespace {

// ------------------------------------------------------------------ the runtime that is made up

// Stands for OrtKeyValuePairs.
struct Pairs {
  std::vector<std::pair<std::string, std::string>> all;
};

// Stands for OrtHardwareDevice.
struct Device {
  DeviceType type = DeviceType::kCpu;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  Pairs metadata;

  const OrtHardwareDevice* ort() const { return reinterpret_cast<const OrtHardwareDevice*>(this); }
};

// Stands for OrtDeviceEpIncompatibilityDetails.
struct Details {
  uint32_t reasons = 0;
  std::string notes;

  OrtDeviceEpIncompatibilityDetails* ort() {
    return reinterpret_cast<OrtDeviceEpIncompatibilityDetails*>(this);
  }
};

OrtApi ort_table{};
OrtEpApi ep_table{};

const Device& Of(const OrtHardwareDevice* device) {
  return *reinterpret_cast<const Device*>(device);
}

void FillTables() {
  // No call below has a reason to fail; one that does must not go unseen.
  ort_table.CreateStatus = [](OrtErrorCode, const char* text) noexcept {
    CHECK_THAT(false, std::string("a call failed: ") + text);
    return static_cast<OrtStatus*>(nullptr);
  };
  ort_table.HardwareDevice_Type = [](const OrtHardwareDevice* device) noexcept {
    if (Of(device).type == DeviceType::kGpu) return OrtHardwareDeviceType_GPU;
    return Of(device).type == DeviceType::kNpu ? OrtHardwareDeviceType_NPU
                                               : OrtHardwareDeviceType_CPU;
  };
  ort_table.HardwareDevice_VendorId = [](const OrtHardwareDevice* device) noexcept {
    return Of(device).vendor_id;
  };
  ort_table.HardwareDevice_DeviceId = [](const OrtHardwareDevice* device) noexcept {
    return Of(device).device_id;
  };
  ort_table.HardwareDevice_Metadata = [](const OrtHardwareDevice* device) noexcept {
    return reinterpret_cast<const OrtKeyValuePairs*>(&Of(device).metadata);
  };
  ort_table.GetKeyValuePairs = [](const OrtKeyValuePairs* pairs, const char* const** keys,
                                  const char* const** values, size_t* count) noexcept {
    static std::vector<const char*> all_keys;
    static std::vector<const char*> all_values;
    all_keys.clear();
    all_values.clear();
    for (const auto& [key, value] : reinterpret_cast<const Pairs*>(pairs)->all) {
      all_keys.push_back(key.c_str());
      all_values.push_back(value.c_str());
    }
    *keys = all_keys.data();
    *values = all_values.data();
    *count = all_keys.size();
  };
  ort_table.GetKeyValue = [](const OrtKeyValuePairs* pairs,
                             const char* wanted) noexcept -> const char* {
    for (const auto& [key, value] : reinterpret_cast<const Pairs*>(pairs)->all) {
      if (key == wanted) return value.c_str();
    }
    return nullptr;
  };
  ep_table.DeviceEpIncompatibilityDetails_SetDetails =
      [](OrtDeviceEpIncompatibilityDetails* details, uint32_t reasons, int32_t,
         const char* notes) noexcept -> OrtStatus* {
    auto* filled = reinterpret_cast<Details*>(details);
    filled->reasons = reasons;
    filled->notes = notes != nullptr ? notes : "";
    return nullptr;
  };
}

// ------------------------------------------------------------------------------------ hardware

// What falls under a rule.
Device Fitting(const DeviceRule& rule) {
  Device device;
  device.type = rule.type;
  device.vendor_id = rule.any_vendor ? 0x1234 : rule.vendor_id;
  device.device_id = rule.device_id_count > 0 ? rule.device_ids[0] : 7;
  for (size_t i = 0; i < rule.required_count; ++i) {
    device.metadata.all.emplace_back(rule.required[i].key, rule.required[i].value);
  }
  return device;
}

// What falls under none; false when there is no such thing.
bool FindForeign(Device* device) {
  for (const DeviceType type : {DeviceType::kCpu, DeviceType::kGpu, DeviceType::kNpu}) {
    const Device made{type, 0xF0F1, 0xF0F2, {}};
    bool falls_under = false;
    for (const DeviceRule& rule : kDeviceRules) {
      falls_under = falls_under || (rule.type == type && rule.any_vendor);
    }
    if (falls_under) continue;
    *device = made;
    return true;
  }
  return false;
}

// ---------------------------------------------------------------------------------- the tests

constexpr OrtCompiledModelCompatibility kOthers = OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
constexpr OrtCompiledModelCompatibility kBest = OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL;
constexpr OrtCompiledModelCompatibility kOlder =
    OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION;
constexpr OrtCompiledModelCompatibility kNever = OrtCompiledModelCompatibility_EP_UNSUPPORTED;

const DeviceRule& Rule() { return kDeviceRules[0]; }

std::string Info(const std::string& version, const std::string& architecture = Rule().name) {
  return std::string(kEpName) + ";format=1;version=" + version + ";architecture=" + architecture;
}

// The version with other numbers: each is added to one of ours.
std::string Version(int major, int minor, int patch) {
  int numbers[3] = {};
  CHECK(std::sscanf(kVersion, "%d.%d.%d", &numbers[0], &numbers[1], &numbers[2]) == 3);
  return std::to_string(numbers[0] + major) + "." + std::to_string(numbers[1] + minor) + "." +
         std::to_string(numbers[2] + patch);
}

bool IsBeforeFirst() { return kVersion[0] == '0' && kVersion[1] == '.'; }

OrtCompiledModelCompatibility Ask(Factory& factory, const std::string& info,
                                  const std::vector<Device>& devices) {
  std::vector<const OrtHardwareDevice*> pointers;
  for (const Device& device : devices) pointers.push_back(device.ort());
  OrtCompiledModelCompatibility verdict = kOlder;
  CHECK(factory.ValidateCompiledModelCompatibilityInfo(&factory, pointers.data(), pointers.size(),
                                                       info.c_str(), &verdict) == nullptr);
  return verdict;
}

// A model fits the device that it was compiled for, whether that was there or a virtual one stood
// in for it; with a device that it does not fit it fits no longer.
void TestDevices(Factory& factory) {
  const std::string info = CompatibilityInfo(Rule());
  CHECK(info == Info(kVersion));
  const Device real = Fitting(Rule());
  Device stand_in = real;
  stand_in.metadata.all.emplace_back("is_virtual", "1");
  CHECK(Ask(factory, info, {real}) == kBest);
  CHECK(Ask(factory, info, {stand_in}) == kBest);
  CHECK(Ask(factory, info, {real, stand_in, real}) == kBest);
  CHECK(Ask(factory, Info(kVersion, "another"), {real}) == kNever);
  CHECK(Ask(factory, Info(kVersion, "another"), {}) == kBest);
  CHECK(Ask(factory, info, {}) == kBest);
  Device foreign;
  if (FindForeign(&foreign)) {
    CHECK(Ask(factory, info, {foreign}) == kNever);
    CHECK(Ask(factory, info, {real, foreign}) == kNever);
    CHECK(Ask(factory, info, {foreign, real}) == kNever);
    CHECK(Ask(factory, "OtherExecutionProvider;x=1", {foreign}) == kOthers);
  }
  for (const DeviceRule& rule : kDeviceRules) {
    const Device device = Fitting(rule);
    // It may fall under an earlier rule, too; then that one counts.
    if (Ask(factory, CompatibilityInfo(rule), {device}) != kBest) continue;
    CHECK((Ask(factory, info, {device}) == kBest) == (&rule == &Rule()));
    CHECK((Ask(factory, info, {real, device}) == kBest) == (&rule == &Rule()));
  }
}

void TestVersions(Factory& factory) {
  const std::vector<Device> real = {Fitting(Rule())};
  const OrtCompiledModelCompatibility next_minor = IsBeforeFirst() ? kNever : kOlder;
  CHECK(Ask(factory, Info(Version(0, 0, 1)), real) == kOlder);
  CHECK(Ask(factory, Info(Version(0, 1, 0)), real) == next_minor);
  CHECK(Ask(factory, Info(Version(1, 0, 0)), real) == kNever);
  CHECK(Ask(factory, Info(Version(10, 0, 0)), real) == kNever);
  CHECK(Ask(factory, Info(Version(0, 0, 1) + "-rc.1"), real) == kOlder);
  CHECK(Ask(factory, Info(Version(0, 0, 1) + "+build"), real) == kOlder);
  for (const char* odd : {"", "1", "1.", "1.2", "x", "1.2.x", "-1.0.0", "01.0.0", " 1.0.0",
                          "1.0.0.0", "99999999999999999999.0.0", "0.99999999999999999999.0"}) {
    CHECK_THAT(Ask(factory, Info(odd), real) == kNever, std::string("version '") + odd + "'");
  }
}

// What nobody wrote is unsupported and never more than that, whatever it is.
void TestGarbage(Factory& factory) {
  const std::vector<Device> real = {Fitting(Rule())};
  const std::string info = Info(kVersion);
  const std::string ep = kEpName;
  CHECK(Ask(factory, "", real) == kOthers);
  CHECK(Ask(factory, "OtherExecutionProvider;", real) == kOthers);
  CHECK(Ask(factory, "Other_EP2;format=1;version=1.0.0;architecture=npu", real) == kOthers);
  const std::string version = std::string(";version=") + kVersion;
  const std::string architecture = std::string(";architecture=") + Rule().name;
  const std::vector<std::string> texts = {
      "garbage",
      ";",
      ";;;;",
      "=",
      ep,
      ep + ";",
      " " + info,
      info + ";",
      info + ";more=1",
      info + ";format=1",
      "2nd;" + info,
      "a b;format=1",
      "%s%n;format=1",
      "\xFF\xFE\x80;format=1",
      ep + " ;format=1",
      ep + ";format=2" + version + architecture,
      ep + ";format=" + version + architecture,
      ep + ";Format=1" + version + architecture,
      ep + ";format=1;format=1" + version + architecture,
      ep + ";format=1" + version,
      ep + ";format=1" + architecture,
      ep + version + architecture,
      ep + ";format=1" + version + ";architecture=",
      ep + ";" + std::string(9, '\1'),
      std::string(1 << 20, ';'),
      std::string(1 << 20, 'x'),
  };
  for (const std::string& text : texts) {
    CHECK_THAT(Ask(factory, text, real) == kNever, "'" + text.substr(0, 80) + "'");
    CHECK_THAT(Ask(factory, text, {}) == kNever, "'" + text.substr(0, 80) + "', no devices");
  }
  // Another architecture, which is nobody's.
  for (const std::string& more : {std::string("\n"), std::string(1 << 20, 'x')}) {
    CHECK(Ask(factory, info + more, real) == kNever);
  }
  for (size_t i = 0; i < info.size(); ++i) {
    CHECK_THAT(Ask(factory, info.substr(0, i), real) != kBest, info.substr(0, i));
    for (const char c : {'\1', ';', '=', '0', 'Z', '\xFF'}) {
      std::string changed = info;
      changed[i] = c;
      const bool good = changed == info || Ask(factory, changed, real) != kBest;
      CHECK_THAT(good, changed);
    }
  }
}

void TestIncompatibleHardware(Factory& factory) {
  for (const DeviceRule& rule : kDeviceRules) {
    const Device device = Fitting(rule);
    Details details;
    CHECK(factory.GetHardwareDeviceIncompatibilityDetails(&factory, device.ort(), details.ort()) ==
          nullptr);
    CHECK(details.reasons == OrtDeviceEpIncompatibility_NONE && details.notes.empty());
  }
  Device foreign;
  if (!FindForeign(&foreign)) return;
  Details details;
  CHECK(factory.GetHardwareDeviceIncompatibilityDetails(&factory, foreign.ort(), details.ort()) ==
        nullptr);
  CHECK((details.reasons & OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE) != 0);
  for (const DeviceRule& rule : kDeviceRules) {
    CHECK_THAT(details.notes.find(rule.name) != std::string::npos, details.notes);
  }
}
<% if select_candidate %>

// A candidate: one model for each text.
Pairs Candidate(const std::vector<std::string>& texts) {
  Pairs made;
  made.all.emplace_back("num_models", std::to_string(texts.size()));
  for (size_t i = 0; i < texts.size(); ++i) {
    made.all.emplace_back(std::to_string(i) + ".ep_compatibility_info", texts[i]);
    made.all.emplace_back(std::to_string(i) + ".role", "decoder");
  }
  return made;
}

size_t Select(Factory& factory, const std::vector<Pairs>& candidates, const Device& device) {
  std::vector<const OrtKeyValuePairs*> pointers;
  for (const Pairs& candidate : candidates) {
    pointers.push_back(reinterpret_cast<const OrtKeyValuePairs*>(&candidate));
  }
  size_t selected = 77;
  CHECK(factory.SelectBestModelCandidate(&factory, device.ort(), pointers.data(), pointers.size(),
                                         nullptr, &selected) == nullptr);
  return selected;
}

void TestCandidates(Factory& factory) {
  const Device real = Fitting(Rule());
  const Pairs best = Candidate({Info(kVersion)});
  const Pairs older = Candidate({Info(Version(0, 0, 1))});
  const Pairs never = Candidate({Info(Version(1, 0, 0))});
  const Pairs others = Candidate({"OtherExecutionProvider;x=1"});
  CHECK(Select(factory, {}, real) == SIZE_MAX);
  CHECK(Select(factory, {never, others, Candidate({""})}, real) == SIZE_MAX);
  CHECK(Select(factory, {older, never, best, best}, real) == 2);
  CHECK(Select(factory, {others, older, never, older}, real) == 1);
  // All models of a candidate are needed: the worst counts.
  const std::string fits = Info(kVersion);
  CHECK(Select(factory, {Candidate({fits, Info(Version(0, 0, 1)), fits}), best}, real) == 1);
  CHECK(Select(factory, {Candidate({fits, Info(Version(0, 0, 1))}), older}, real) == 0);
  CHECK(Select(factory, {Candidate({fits, Info(Version(1, 0, 0))}), older}, real) == 1);
  CHECK(Select(factory, {Candidate({fits, "Other;"}), Candidate({"Other;", fits})}, real) ==
        SIZE_MAX);
  CHECK(Select(factory, {older, Candidate(std::vector<std::string>(300, fits))}, real) == 1);
  Device foreign;
  if (FindForeign(&foreign)) CHECK(Select(factory, {best, older}, foreign) == SIZE_MAX);
}

// Malformed candidates never win, and do not take long.
void TestMalformedCandidates(Factory& factory) {
  const Device real = Fitting(Rule());
  const std::string fits = Info(kVersion);
  for (const char* count :
       {"", "0", "-1", "+1", " 1", "1 ", "x", "1x", "0x1", "1.0", "2", "300", "99999", "4294967297",
        "18446744073709551615", "18446744073709551617", "99999999999999999999999999999999"}) {
    Pairs odd = Candidate({fits});
    odd.all[0].second = count;
    CHECK_THAT(Select(factory, {odd}, real) == SIZE_MAX, std::string("num_models '") + count + "'");
    CHECK(Select(factory, {odd, Candidate({fits})}, real) == 1);
  }
  Pairs uncounted = Candidate({fits});
  uncounted.all.erase(uncounted.all.begin());
  Pairs without_first = Candidate({fits, fits});
  without_first.all.erase(without_first.all.begin() + 1);
  for (const Pairs& odd : {Pairs(), uncounted, without_first, Candidate({"garbage"}),
                           Candidate({fits, ""}), Candidate({std::string(1 << 20, ';')})}) {
    CHECK(Select(factory, {odd, Candidate({fits}), odd}, real) == 1);
  }
}
<% endif %>

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
  FillTables();
  <%= ns %>::Factory factory({&ort_table, &ep_table, <%= ns %>::kTargetApi}, nullptr);
  TestDevices(factory);
  TestVersions(factory);
  TestGarbage(factory);
  TestIncompatibleHardware(factory);
<% if select_candidate %>
  TestCandidates(factory);
  TestMalformedCandidates(factory);
<% endif %>
  return Verdict();
}
