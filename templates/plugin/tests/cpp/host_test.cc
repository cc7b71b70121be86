<%= banner %>
// The library in a real ONNX Runtime: host_test LIBONNXRUNTIME PLUGIN
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
<% if several %>
#include <iterator>
<% endif %>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "gen/identity.h"
#include "host.h"

namespace <%= ns %>::test {
namespace {

// ORT allows virtual devices under a name that ends like this.
const std::string kSuffix = <%= (".virtual" if virtual else "") | cpp_string %>;
constexpr int kRounds = 3;
<% if several %>
// What is said of one execution provider holds for all.
constexpr const char* kEpName = kIdentities[0].ep_name;
constexpr const char* kOptionPrefix = kIdentities[0].option_prefix;
<% endif %>

<% if trial %>
bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// An op of the library that works element by element.
constexpr Elementwise kTrial = {<%= trial.domain | cpp_string %>, <%= trial.op | cpp_string %>, <%= trial.opset %>, <%= trial.inputs %>};

// The same numbers as on the CPU, empty tensors included.
void CheckValues(const Host& host, const OrtEpDevice* device) {
  const std::string model = MakeModel(kTrial);
  Session ours(host.ort());
  Session cpu(host.ort());
  const std::string error = host.Open(model, device, {}, {}, &ours);
  if (!CHECK_THAT(error.empty(), "a session opens: " + error)) return;
  if (!CHECK(host.Open(model, nullptr, {}, {}, &cpu).empty())) return;
  for (const int64_t rows : {3, 0, 1, 20000}) {
    std::vector<float> actual;
    std::vector<float> expected;
    const std::string ran = ours.Run(rows, kTrial.inputs, &actual);
    CHECK_THAT(ran.empty(), "it runs: " + ran);
    CHECK(cpu.Run(rows, kTrial.inputs, &expected).empty());
    bool same = actual.size() == expected.size();
    for (size_t i = 0; same && i < actual.size(); ++i) {
      same = std::fabs(actual[i] - expected[i]) <= 1e-5F * (1 + std::fabs(expected[i])) ||
             (std::isnan(actual[i]) && std::isnan(expected[i]));
    }
    CHECK_THAT(same, "the numbers agree for " + std::to_string(rows) + " rows");
  }
}

// An input that the application leaves out is an error that names it, not a crash.
void CheckMissingInput(const Host& host, const OrtEpDevice* device) {
  Session session(host.ort());
  if (!CHECK(host.Open(MakeModel(kTrial), device, {}, {}, &session).empty())) return;
  std::vector<float> result;
  const std::string error = session.Run(3, kTrial.inputs - 1, &result);
  CHECK_THAT(Contains(error, "input_" + std::to_string(kTrial.inputs - 1)),
             "the missing input is named: " + error);
}

// Several threads on one session, and a session each.
void CheckThreads(const Host& host, const OrtEpDevice* device) {
  Session shared(host.ort());
  if (!CHECK(host.Open(MakeModel(kTrial), device, {}, {}, &shared).empty())) return;
  std::vector<float> expected;
  CHECK(shared.Run(5000, kTrial.inputs, &expected).empty());
  std::vector<int> good(4);
  std::vector<std::thread> threads;
  for (int& count : good) {
    threads.emplace_back([&] {
      Session own(host.ort());
      if (!host.Open(MakeModel(kTrial), device, {}, {}, &own).empty()) return;
      for (int i = 0; i < 10; ++i) {
        for (const Session* session : {&shared, &own}) {
          std::vector<float> actual;
          if (session->Run(5000, kTrial.inputs, &actual).empty() && actual == expected) ++count;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(std::all_of(good.begin(), good.end(), [](int count) { return count == 20; }));
}

void CheckSettings(const Host& host, const OrtEpDevice* device) {
  const std::string model = MakeModel(kTrial);
  const std::string prefix = kOptionPrefix;
  const auto open = [&](const Settings& options, const Settings& config) {
    Session session(host.ort());
    return host.Open(model, device, options, config, &session);
  };
  const std::string unknown = open({{"no_such_option", "1"}}, {});
  CHECK_THAT(Contains(unknown, "no_such_option"), "an unknown option is named: " + unknown);
  CHECK(Contains(open({}, {{prefix + "no_such_option", "1"}}), "no_such_option"));
  CHECK(open({}, {{"ep.another" + prefix.substr(3) + "no_such_option", "1"}}).empty());
  const std::string shouted = std::string("ep.") + kEpName + ".no_such_option";
  CHECK(Contains(open({}, {{shouted, "1"}}), prefix));
<% if not contexts %>
  const std::string context =
      open({}, {{"ep.context_enable", "1"}, {"ep.context_file_path", "never_written.onnx"}});
  CHECK_THAT(Contains(context, "EPContext"), "compiled models are refused: " + context);
<% endif %>
<% for option in options %>
<% if option.kind in ("int", "float", "bool", "enum") %>
  const std::string <%= option.field %>_error = open({{<%= option.name | cpp_string %>, "no such value"}}, {});
  CHECK_THAT(Contains(<%= option.field %>_error, <%= option.name | cpp_string %>), "option and value are named: " + <%= option.field %>_error);
  CHECK(Contains(<%= option.field %>_error, "no such value"));
<% endif %>
<% if option.default_text %>
  CHECK(open({{<%= option.name | cpp_string %>, <%= option.default_text | cpp_string %>}}, {}).empty());
<% endif %>
<% endfor %>
}

<% endif %>
void CheckDevice(const Host& host, const OrtEpDevice* device) {
  const OrtApi& ort = host.ort();
  CHECK(std::string(ort.EpDevice_EpVendor(device)) == kVendor);
  const char* version = ort.GetKeyValue(ort.EpDevice_EpMetadata(device), "version");
  CHECK(version != nullptr && std::string(version) == kVersion);
}

// The structs that the library makes for this runtime all say the level that both know.
void CheckLevels(const Host& host, const char* library, const OrtEpDevice* device) {
  const auto create =
      reinterpret_cast<CreateEpApiFactoriesFn>(FindFunction(library, "CreateEpFactories"));
  const auto release =
      reinterpret_cast<ReleaseEpApiFactoryFn>(FindFunction(library, "ReleaseEpFactory"));
  if (!CHECK(create != nullptr && release != nullptr)) return;
  const uint32_t level = std::min(kTargetApi, host.level());
  size_t count = 0;
<% if several %>
  constexpr size_t kCount = std::size(kIdentities);
  OrtEpFactory* factories[kCount] = {};
  if (!CHECK(host.Take(create("probe", &host.base(), nullptr, factories, kCount, &count)).empty())) {
    return;
  }
  CHECK(count == kCount);
  for (size_t i = 1; i < kCount; ++i) {
    CHECK(std::string(factories[i]->GetName(factories[i])) == kIdentities[i].ep_name);
    CHECK(factories[i]->ort_version_supported == level);
    CHECK(host.Take(release(factories[i])).empty());
  }
  OrtEpFactory* const factory = factories[0];
<% else %>
  OrtEpFactory* factory = nullptr;
  if (!CHECK(host.Take(create("probe", &host.base(), nullptr, &factory, 1, &count)).empty())) return;
  CHECK(count == 1);
<% endif %>
  CHECK(factory->ort_version_supported == level);
  CHECK(std::string(factory->GetName(factory)) == kEpName);
  CHECK(factory->GetVendorId(factory) == kVendorId);
  OrtDataTransferImpl* transfer = nullptr;
  CHECK(host.Take(factory->CreateDataTransfer(factory, &transfer)).empty());
<% if device_memory %>
  if (CHECK(transfer != nullptr)) {
    CHECK(transfer->ort_version_supported == level);
    transfer->Release(transfer);
  }
<% else %>
  CHECK(transfer == nullptr);
<% endif %>
  OrtSessionOptions* options = nullptr;
  OrtEp* ep = nullptr;
  CHECK(host.Take(host.ort().CreateSessionOptions(&options)).empty());
  const OrtHardwareDevice* hardware = host.ort().EpDevice_Device(device);
  CHECK(host.Take(factory->CreateEp(factory, &hardware, nullptr, 1, options, nullptr, &ep)).empty());
  if (CHECK(ep != nullptr)) {
    CHECK(ep->ort_version_supported == level);
    CHECK(std::string(ep->GetName(ep)) == kEpName);
    bool concurrent = false;
    CHECK(host.Take(ep->IsConcurrentRunSupported(ep, &concurrent)).empty() && concurrent);
    factory->ReleaseEp(factory, ep);
  }
  host.ort().ReleaseSessionOptions(options);
  CHECK(host.Take(release(factory)).empty());
}

void CheckOneRegistration(const Host& host, const char* library) {
  const std::string name = "first" + kSuffix;
  const std::string error = host.Register(name, library);
  if (!CHECK_THAT(error.empty(), "it registers: " + error)) return;
  const auto devices = host.Devices(kEpName);
  if (CHECK_THAT(!devices.empty(), std::string(kEpName) + " offers a device")) {
    CheckDevice(host, devices[0]);
    CheckLevels(host, library, devices[0]);
<% if trial %>
    CheckValues(host, devices[0]);
    CheckMissingInput(host, devices[0]);
    CheckSettings(host, devices[0]);
    CheckThreads(host, devices[0]);
<% endif %>
  }
  // A name that is taken is refused. Older runtimes never give the refused factory back: a leak
  // that is not the library's.
  if (host.level() >= 32) CHECK(!host.Register(name, library).empty());
  CHECK(host.Unregister(name).empty());
  CHECK(host.Devices(kEpName).empty());
}

// Without devices the library can be registered all the same.
bool HasDevices(const Host& host, const char* library) {
  CHECK(host.Register("any" + kSuffix, library).empty());
  const bool has_devices = !host.Devices(kEpName).empty();
  CHECK(host.Unregister("any" + kSuffix).empty());
  return has_devices;
}

// Two registrations at once share nothing: ending one leaves the other working.
void CheckTwoRegistrations(const Host& host, const char* library) {
  for (const bool first_ends_first : {true, false}) {
    const std::string one = "one" + kSuffix;
    const std::string two = "two" + kSuffix;
    CHECK(host.Register(one, library).empty() && host.Register(two, library).empty());
    CHECK(host.Devices(kEpName).size() >= 2);
    CHECK(host.Unregister(first_ends_first ? one : two).empty());
    const auto left = host.Devices(kEpName);
    CHECK(!left.empty());
<% if trial %>
    if (!left.empty()) CheckValues(host, left[0]);
<% endif %>
    CHECK(host.Unregister(first_ends_first ? two : one).empty());
  }
}

}  // namespace
}  // namespace <%= ns %>::test

int main(int argc, char** argv) {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s LIBONNXRUNTIME PLUGIN\n", argv[0]);
    return 2;
  }
  const Host host(argv[1]);
<% if stub_runtime %>
  if (!HasDevices(host, argv[2])) {
    std::printf("the rest is left out: no device, as long as its runtime is a stub\n");
    return Verdict();
  }
<% else %>
  // For machines that are known to have no device: elsewhere that is a fault.
  const char* const allowed = std::getenv(<%= (macro ~ "_ALLOW_NO_DEVICE") | cpp_string %>);
  if (allowed != nullptr && std::string(allowed) == "1" && !HasDevices(host, argv[2])) {
    std::printf("the rest is left out: no device\n");
    return Verdict();
  }
<% endif %>
  for (int i = 0; i < kRounds; ++i) CheckOneRegistration(host, argv[2]);
  CheckTwoRegistrations(host, argv[2]);
  return Verdict();
}
