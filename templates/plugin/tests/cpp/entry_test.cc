<%= banner %>
// The shell against a made-up runtime: versions, bad calls, failures in the middle of things.
<% if compiled %>
#include <memory>
<% endif %>
#include <string>
#include <vector>

<% if compiled %>
#include "abi/compute_info.h"
<% endif %>
#include "abi/ep.h"
#include "abi/factory.h"
#include "abi/guard.h"
<% if registry or custom_ops %>
#include "abi/kernel_adapter.h"
<% endif %>
#include "abi/negotiate.h"
#include "check.h"
#include "gen/devices.h"
<% if compiled %>
#include "gen/graph/executable.h"
<% endif %>
<% if device_memory %>
#include "abi/allocator.h"
#include "abi/data_transfer.h"
#include "abi/memcpy_kernels.h"
<% endif %>

extern "C" OrtStatus* CreateEpFactories(const char*, const OrtApiBase*, const OrtLogger*,
                                        OrtEpFactory**, size_t, size_t*) noexcept;
extern "C" OrtStatus* ReleaseEpFactory(OrtEpFactory*) noexcept;

namespace <%= ns %>::test {
namespace {

// ------------------------------------------------------------------ the runtime that is made up

struct Runtime {
  std::string version;
  bool has_tables = true;
  std::vector<uint32_t> asked;    // levels that GetApi was asked for
  int live = 0;                   // objects that the runtime made and has not got back
  int devices_until_failure = -1;  // this many devices can be made; -1: any number
  bool allow_virtual = false;
};
Runtime fake;
OrtApi ort_table{};
OrtEpApi ep_table{};

struct FakeStatus {
  OrtErrorCode code;
  std::string text;
};
OrtStatus* MakeStatus(OrtErrorCode code, const char* text) noexcept {
  ++fake.live;
  return reinterpret_cast<OrtStatus*>(new FakeStatus{code, text});
}
// The text of a status, which is given back; empty for success.
std::string Take(OrtStatus* status) {
  if (status == nullptr) return "";
  const std::string text = reinterpret_cast<FakeStatus*>(status)->text;
  ort_table.ReleaseStatus(status);
  return text;
}

// Opaque objects: a pointer to nothing in particular, counted.
template <class T>
void Make(T** object) {
  ++fake.live;
  *object = reinterpret_cast<T*>(new char);
}
template <class T>
void Release(T* object) {
  if (object == nullptr) return;
  --fake.live;
  delete reinterpret_cast<char*>(object);
}

const DeviceRule& Rule() { return kDeviceRules[0]; }
static_assert(static_cast<int>(DeviceType::kGpu) == OrtHardwareDeviceType_GPU &&
              static_cast<int>(DeviceType::kNpu) == OrtHardwareDeviceType_NPU);

void FillOrt() {
  ort_table.CreateStatus = MakeStatus;
  ort_table.GetErrorCode = [](const OrtStatus* status) noexcept {
    return reinterpret_cast<const FakeStatus*>(status)->code;
  };
  ort_table.GetErrorMessage = [](const OrtStatus* status) noexcept {
    return reinterpret_cast<const FakeStatus*>(status)->text.c_str();
  };
  ort_table.ReleaseStatus = [](OrtStatus* status) {
    if (status != nullptr) --fake.live;
    delete reinterpret_cast<FakeStatus*>(status);
  };
  ort_table.GetEpApi = []() noexcept -> const OrtEpApi* {
    return fake.has_tables ? &ep_table : nullptr;
  };
  ort_table.CreateKeyValuePairs = [](OrtKeyValuePairs** pairs) noexcept { Make(pairs); };
  ort_table.ReleaseKeyValuePairs = [](OrtKeyValuePairs* pairs) { Release(pairs); };
  ort_table.AddKeyValuePair = [](OrtKeyValuePairs*, const char*, const char*) noexcept {};
  ort_table.GetKeyValue = [](const OrtKeyValuePairs*, const char*) noexcept -> const char* {
    return fake.allow_virtual ? "1" : nullptr;
  };
<% if compiled %>
  ort_table.Graph_GetName = [](const OrtGraph*, const char**) noexcept {
    return MakeStatus(ORT_FAIL, "no such graph");
  };
  ort_table.Graph_GetNumNodes = [](const OrtGraph*, size_t*) noexcept {
    return MakeStatus(ORT_FAIL, "no such graph");
  };
<% endif %>
  // Hardware is whatever the first rule asks for.
  ort_table.HardwareDevice_Type = [](const OrtHardwareDevice*) noexcept {
    if (Rule().type == DeviceType::kGpu) return OrtHardwareDeviceType_GPU;
    return Rule().type == DeviceType::kNpu ? OrtHardwareDeviceType_NPU : OrtHardwareDeviceType_CPU;
  };
  ort_table.HardwareDevice_VendorId = [](const OrtHardwareDevice*) noexcept {
    return Rule().vendor_id;
  };
  ort_table.HardwareDevice_DeviceId = [](const OrtHardwareDevice*) noexcept {
    return Rule().device_id_count > 0 ? Rule().device_ids[0] : 0;
  };
  ort_table.HardwareDevice_Metadata =
      [](const OrtHardwareDevice*) noexcept -> const OrtKeyValuePairs* { return nullptr; };
  ort_table.GetKeyValuePairs = [](const OrtKeyValuePairs*, const char* const** keys,
                                  const char* const** values, size_t* count) noexcept {
    static std::vector<const char*> all_keys;
    static std::vector<const char*> all_values;
    all_keys.clear();
    all_values.clear();
    for (size_t i = 0; i < Rule().required_count; ++i) {
      all_keys.push_back(Rule().required[i].key);
      all_values.push_back(Rule().required[i].value);
    }
    *keys = all_keys.data();
    *values = all_values.data();
    *count = all_keys.size();
  };
<% if device_memory %>
  ort_table.CreateMemoryInfo_V2 = [](const char*, OrtMemoryInfoDeviceType, uint32_t, int32_t,
                                     OrtDeviceMemoryType, size_t, OrtAllocatorType,
                                     OrtMemoryInfo** info) noexcept -> OrtStatus* {
    Make(info);
    return nullptr;
  };
  ort_table.ReleaseMemoryInfo = [](OrtMemoryInfo* info) { Release(info); };
<% endif %>
}

void FillEp() {
  ep_table.CreateEpDevice = [](OrtEpFactory*, const OrtHardwareDevice*, const OrtKeyValuePairs*,
                               const OrtKeyValuePairs*, OrtEpDevice** device) noexcept {
    if (fake.devices_until_failure == 0) return MakeStatus(ORT_FAIL, "no more devices");
    if (fake.devices_until_failure > 0) --fake.devices_until_failure;
    Make(device);
    return static_cast<OrtStatus*>(nullptr);
  };
  ep_table.ReleaseEpDevice = [](OrtEpDevice* device) { Release(device); };
<% if virtual or software %>
  ep_table.GetEnvConfigEntries = [](OrtKeyValuePairs** entries) noexcept -> OrtStatus* {
    Make(entries);
    return nullptr;
  };
<% endif %>
<% if virtual %>
  ep_table.CreateHardwareDevice = [](OrtHardwareDeviceType, uint32_t, uint32_t, const char*,
                                     const OrtKeyValuePairs*,
                                     OrtHardwareDevice** device) noexcept -> OrtStatus* {
    Make(device);
    return nullptr;
  };
  ep_table.ReleaseHardwareDevice = [](OrtHardwareDevice* device) { Release(device); };
<% endif %>
<% if device_memory %>
  ep_table.EpDevice_AddAllocatorInfo =
      [](OrtEpDevice*, const OrtMemoryInfo*) noexcept -> OrtStatus* { return nullptr; };
<% endif %>
}

const OrtApiBase* Base() {
  static const OrtApiBase base = {
      [](uint32_t level) noexcept -> const OrtApi* {
        fake.asked.push_back(level);
        return fake.has_tables || level == 1 ? &ort_table : nullptr;
      },
      []() noexcept { return fake.version.c_str(); }};
  return &base;
}

// Loads the library into a runtime of that version; returns the error's text.
std::string Load(const std::string& version, OrtEpFactory** factory) {
  fake = {};
  fake.version = version;
  size_t count = 7;
<% if several %>
  // The first of them; the others are as good.
  OrtEpFactory* factories[std::size(kIdentities)] = {};
  constexpr size_t kCount = std::size(kIdentities);
  const std::string error =
      Take(CreateEpFactories("name", Base(), nullptr, factories, kCount, &count));
  CHECK(count == (error.empty() ? kCount : 0U));
  for (size_t i = 1; i < kCount; ++i) ReleaseEpFactory(factories[i]);
  *factory = factories[0];
  return error;
<% else %>
  const std::string error = Take(CreateEpFactories("name", Base(), nullptr, factory, 1, &count));
  CHECK(count == (error.empty() ? 1U : 0U));
  return error;
<% endif %>
}

std::string Text(const OrtVersion& version) {
  return std::to_string(version[0]) + "." + std::to_string(version[1]) + "." +
         std::to_string(version[2]);
}

// -------------------------------------------------------------------------------------- the tests

void TestVersionParser() {
  OrtVersion version{};
  CHECK(ParseVersion("1.32.0", &version) && version == OrtVersion({1, 32, 0}));
  CHECK(ParseVersion("1.9.0", &version) && version == OrtVersion({1, 9, 0}));
  CHECK(ParseVersion("2.0.0", &version) && version == OrtVersion({2, 0, 0}));
  CHECK(OrtVersion({1, 9, 0}) < OrtVersion({1, 24, 4}));
  for (const char* odd : {"", "abc", "1", "1.", "1.24", "1.24.", "1.24.4.", "1.30.0.dev20260901", "-1.2.3",
                          " 1.24.4", "1.24.4 ", "1..4", "1.99999999999999999999.0"}) {
    CHECK_THAT(!ParseVersion(odd, &version), std::string("'") + odd + "' is refused");
  }
}

// A runtime that is too old or strange is told so, in a text with both versions.
void TestRefusedRuntimes() {
  OrtVersion below = kMinimumOrt;
  if (below[2] > 0) {
    --below[2];
  } else {
    --below[1];
  }
  for (const std::string& version :
       {Text(below), std::string("1.9.0"), std::string("1.22.0"), std::string("2.0.0"), std::string(),
        std::string("abc"), std::string("1.30.0.dev20260901")}) {
    OrtEpFactory* factory = nullptr;
    const std::string error = Load(version, &factory);
    CHECK_THAT(error.find(Text(kMinimumOrt)) != std::string::npos, version + ": " + error);
    CHECK(error.find("'" + version + "'") != std::string::npos);
    CHECK(factory == nullptr && fake.live == 0);
  }
}

// The runtime is asked for its own level, never for a newer one; structs say what both know.
void TestAcceptedRuntimes() {
  for (const int minor : {kMinimumOrt[1], static_cast<int>(kTargetApi), 99}) {
    if (minor < kMinimumOrt[1]) continue;
    OrtEpFactory* factory = nullptr;
    const std::string error = Load("1." + std::to_string(minor) + ".9", &factory);
    if (!CHECK_THAT(error.empty(), error)) continue;
    const auto own = static_cast<uint32_t>(minor);
    CHECK(fake.asked == std::vector<uint32_t>({1, own}));
    CHECK(factory->ort_version_supported == std::min(own, kTargetApi));
    CHECK(factory->CreateDataTransfer != nullptr);
<% if not contexts %>
    CHECK(factory->ValidateCompiledModelCompatibilityInfo == nullptr);
<% endif %>
    CHECK(factory->IsStreamAware(factory) == (factory->CreateSyncStreamForDevice != nullptr));
    CHECK(ReleaseEpFactory(factory) == nullptr && fake.live == 0);
  }
}

void TestBadCalls() {
  OrtEpFactory* factory = nullptr;
  size_t count = 0;
  fake = {};
  fake.version = Text(kMinimumOrt);
  CHECK(CreateEpFactories("name", nullptr, nullptr, &factory, 1, &count) == nullptr);
  CHECK(!Take(CreateEpFactories("name", Base(), nullptr, nullptr, 1, &count)).empty());
  CHECK(!Take(CreateEpFactories("name", Base(), nullptr, &factory, 1, nullptr)).empty());
  CHECK(!Take(CreateEpFactories("name", Base(), nullptr, &factory, 0, &count)).empty());
<% if several %>
  // All or none.
  OrtEpFactory* few[std::size(kIdentities)] = {};
  constexpr size_t kFew = std::size(kIdentities) - 1;
  CHECK(!Take(CreateEpFactories("name", Base(), nullptr, few, kFew, &count)).empty());
  CHECK(count == 0 && few[0] == nullptr);
<% endif %>
  fake.has_tables = false;
  CHECK(!Take(CreateEpFactories("name", Base(), nullptr, &factory, 1, &count)).empty());
  CHECK(factory == nullptr && fake.live == 0);
  CHECK(ReleaseEpFactory(nullptr) == nullptr);
}

<% if stub_runtime or cuda %>
// Is the device's runtime written, and there?
bool HasRuntime() {
  std::unique_ptr<<%= ns %>::Runtime> runtime;
  return MakeRuntime(&runtime).ok();
}

<% endif %>
// A failure in the middle of the devices takes back those made before.
void TestDevicesRollBack() {
  OrtEpFactory* factory = nullptr;
  if (!CHECK(Load(Text(kMinimumOrt), &factory).empty())) return;
  const OrtHardwareDevice* hardware[3] = {};
  OrtEpDevice* devices[8] = {};
  size_t count = 9;
<% if stub_runtime or cuda %>
  if (!HasRuntime()) {  // then there are no devices, and that is no error
    CHECK(Take(factory->GetSupportedDevices(factory, hardware, 3, devices, 8, &count)).empty());
    CHECK(count == 0);
    OrtDataTransferImpl* transfer = nullptr;
    CHECK(Take(factory->CreateDataTransfer(factory, &transfer)).empty());
    if (transfer != nullptr) transfer->Release(transfer);
    OrtAllocator* allocator = nullptr;
    CHECK(!Take(factory->CreateAllocator(factory, nullptr, nullptr, &allocator)).empty());
    OrtEp* ep = nullptr;
    CHECK(!Take(factory->CreateEp(factory, hardware, nullptr, 1, nullptr, nullptr, &ep)).empty());
    CHECK(allocator == nullptr && ep == nullptr);
    CHECK(ReleaseEpFactory(factory) == nullptr && fake.live == 0);
    return;
  }
<% endif %>
  fake.devices_until_failure = 2;
  CHECK(!Take(factory->GetSupportedDevices(factory, hardware, 3, devices, 8, &count)).empty());
  CHECK(count == 0 && devices[0] == nullptr && fake.live == 0);

  // Where there is more hardware than room, the first ones are offered.
  fake.devices_until_failure = -1;
  CHECK(Take(factory->GetSupportedDevices(factory, hardware, 3, devices, 2, &count)).empty());
  CHECK(count == 2 && devices[2] == nullptr);
  for (size_t i = 0; i < count; ++i) ep_table.ReleaseEpDevice(devices[i]);

  CHECK(Take(factory->GetSupportedDevices(factory, hardware, 3, devices, 8, &count)).empty());
  CHECK(count == 3);
  for (size_t i = 0; i < count; ++i) ep_table.ReleaseEpDevice(devices[i]);
  CHECK(Take(factory->GetSupportedDevices(factory, nullptr, 0, devices, 8, &count)).empty());
  CHECK(count == 0);
<% if virtual %>
  fake.allow_virtual = true;
  CHECK(Take(factory->GetSupportedDevices(factory, nullptr, 0, devices, 8, &count)).empty());
  CHECK(count > 0);
  for (size_t i = 0; i < count; ++i) ep_table.ReleaseEpDevice(devices[i]);
<% endif %>
  CHECK(ReleaseEpFactory(factory) == nullptr);
  CHECK(fake.live == 0);
}

<% if compiled %>
// An executable that takes nothing and makes nothing.
class Nothing final : public Executable {
 public:
  const std::vector<Port>& inputs() const noexcept override { return none_; }
  const std::vector<Port>& outputs() const noexcept override { return none_; }
  Status Run(Inputs, Results&, <% if streams %>Stream, <% endif %>Exec&) const override { return Status(); }
  Status Save(Saved*) const override { return Status(); }

 private:
  std::vector<Port> none_;
};

// After a failure nothing is left, neither compute infos nor EPContext nodes.
void TestCompileFails() {
  fake = {};
  const Api api{&ort_table, &ep_table, 25};
  Factory factory(api, nullptr);
<% if contexts %>
  Ep ep(factory, Logger(api, nullptr), Rule());
<% else %>
  Ep ep(factory, Logger(api, nullptr));
<% endif %>
  const OrtGraph* graphs[2] = {};
  const OrtNode* fused[2] = {};
  // What is there must be overwritten, not followed.
  auto* const stale = reinterpret_cast<OrtNodeComputeInfo*>(&fake);
  OrtNodeComputeInfo* infos[2] = {stale, stale};
  OrtNode* nodes[2] = {reinterpret_cast<OrtNode*>(&fake), reinterpret_cast<OrtNode*>(&fake)};
  const std::string error = Take(ep.Compile(&ep, graphs, fused, 2, infos, nodes));
  CHECK_THAT(error == "no such graph", error);
  CHECK(infos[0] == nullptr && infos[1] == nullptr && nodes[0] == nullptr && nodes[1] == nullptr);
  ep.ReleaseNodeComputeInfos(&ep, infos, 2);
  CHECK(fake.live == 0);
}

<% endif %>
// Every struct says the level in use, and has nothing in the slots that it does not fill.
void TestStamps() {
  fake = {};
  const Api api{&ort_table, &ep_table, 25};
  Factory factory(api, nullptr);
  CHECK(factory.ort_version_supported == 25);
<% if not streams %>
  CHECK(factory.CreateSyncStreamForDevice == nullptr);
<% endif %>
<% if not graphics_interop %>
  CHECK(factory.DeinitGraphicsInterop == nullptr);
<% endif %>
<% if contexts %>
  Ep ep(factory, Logger(api, nullptr), Rule());
<% else %>
  Ep ep(factory, Logger(api, nullptr));
<% endif %>
  CHECK(ep.ort_version_supported == 25 && ep.ReleaseCapturedGraph == nullptr);
<% if registry %>
  CHECK(ep.GetKernelRegistry != nullptr);
<% else %>
  CHECK(ep.GetKernelRegistry == nullptr);
<% endif %>
<% if compiled %>
  CHECK(ep.Compile != nullptr && ep.ReleaseNodeComputeInfos != nullptr);
  const ComputeInfo info(factory, std::make_unique<Nothing>());
  CHECK(info.ort_version_supported == 25);
  CHECK(info.CreateState != nullptr && info.Compute != nullptr && info.ReleaseState != nullptr);
<% else %>
  CHECK(ep.Compile == nullptr);
<% endif %>
<% if custom_ops %>
  CHECK(factory.GetNumCustomOpDomains != nullptr && factory.GetCustomOpDomains != nullptr);
<% else %>
  CHECK(factory.GetNumCustomOpDomains == nullptr && factory.GetCustomOpDomains == nullptr);
<% endif %>
<% if registry or custom_ops %>
  const KernelRow row{};
  KernelEntry entry{};
  entry.api = &api;
  entry.row = &row;
  const KernelAdapter kernel(entry);
  CHECK(kernel.ort_version_supported == 25 && kernel.flags == 0);
  CHECK(kernel.PrePackWeight == nullptr && kernel.SetSharedPrePackedWeight == nullptr);
<% endif %>
<% if device_memory %>
  if (!CHECK(factory.Init().ok())) return;
<% if stub_runtime or cuda %>
  if (!HasRuntime()) return;
<% endif %>
  const DataTransfer transfer(factory);
  CHECK(transfer.ort_version_supported == 25);
<% if profiler %>
  const MemcpyKernel copy(ep, "", "");
<% else %>
  const MemcpyKernel copy(ep);
<% endif %>
  CHECK(copy.ort_version_supported == 25 && copy.flags == 0);
<% if memories %>
  const Logger logger(api, nullptr);
  DeviceSource source(factory.runtime());
<% if arena %>
<% if streams %>
  StreamOrder& order = factory.order();
  const auto arena = [&] { return std::make_shared<Arena>(source, ArenaOptions(), &order); };
<% else %>
  const auto arena = [&] { return std::make_shared<Arena>(source, ArenaOptions()); };
<% endif %>
  Allocator pooled(api, logger, source, arena(), nullptr);
  CHECK(pooled.version == 25 && pooled.GetStats != nullptr);
<% if target >= 25 %>
  CHECK(pooled.Shrink != nullptr);
<% endif %>
<% if streams %>
  CHECK(pooled.AllocOnStream != nullptr && pooled.AllocOnStream(&pooled, 0, nullptr) == nullptr);
  void* const block = pooled.AllocOnStream(&pooled, 1000, nullptr);
  CHECK(block != nullptr);
  pooled.Free(&pooled, block);
<% else %>
  CHECK(pooled.AllocOnStream == nullptr);
<% endif %>
  CHECK(pooled.Alloc(&pooled, 0) == nullptr && pooled.Reserve(&pooled, 0) == nullptr);
  CHECK(pooled.Alloc(&pooled, size_t{1} << 62) == nullptr);
  CHECK(pooled.Reserve(&pooled, size_t{1} << 62) == nullptr);
  CHECK(pooled.Alloc(&pooled, SIZE_MAX) == nullptr);
  pooled.Free(&pooled, nullptr);
  pooled.Free(&pooled, &source);
  const Api older{&ort_table, &ep_table, 24};
  const Allocator on_older(older, logger, source, arena(), nullptr);
  CHECK(on_older.version == 24 && on_older.GetStats != nullptr && on_older.Shrink == nullptr);
  Allocator allocator(api, logger, source, nullptr, nullptr);
<% else %>
  Allocator allocator(api, logger, source, nullptr);
<% endif %>
<% else %>
  Allocator allocator(api, factory.runtime(), nullptr);
<% endif %>
  CHECK(allocator.version == 25 && allocator.Shrink == nullptr);
  CHECK(allocator.AllocOnStream == nullptr);
  OrtKeyValuePairs* statistics = nullptr;
  CHECK(Take(allocator.GetStats(&allocator, &statistics)).empty() && statistics != nullptr);
  ort_table.ReleaseKeyValuePairs(statistics);
  CHECK(allocator.Alloc(&allocator, 0) == nullptr);
  allocator.Free(&allocator, nullptr);
  CHECK(allocator.Alloc(&allocator, size_t{1} << 62) == nullptr);
<% endif %>
}
<% if device_memory and host_runtime %>

// Device addresses are not the host's to follow, and blocks do not overlap.
void TestDeviceMemory() {
  std::unique_ptr<<%= ns %>::Runtime> runtime;
  if (!CHECK(MakeRuntime(&runtime).ok())) return;
  std::vector<void*> blocks;
  for (const size_t bytes : {size_t{1}, size_t{4096}, size_t{100000}, size_t{7}}) {
    void* address = nullptr;
    if (!CHECK(runtime->Allocate(bytes, &address).ok())) return;
    blocks.push_back(address);
    std::vector<char> data(bytes, static_cast<char>(blocks.size()));
    CHECK(runtime->CopyToDevice(address, data.data(), bytes<% if streams %>, nullptr<% endif %>).ok());
    CHECK(runtime->KernelAddress(address) != address);
  }
  runtime->Free(blocks[1]);
  void* reused = nullptr;
  CHECK(runtime->Allocate(4096, &reused).ok() && reused == blocks[1]);
  CHECK(runtime->CopyOnDevice(reused, blocks[2], 4096<% if streams %>, nullptr<% endif %>).ok());
  for (size_t index = 0; index < blocks.size(); ++index) {
    char value = 0;
    CHECK(runtime->CopyToHost(&value, blocks[index], 1<% if streams %>, nullptr<% endif %>).ok());
    CHECK(value == (index == 1 ? 3 : static_cast<char>(index + 1)));
  }
  char on_host = 0;
  CHECK(runtime->KernelAddress(&on_host) == nullptr);
  CHECK(!runtime->CopyToDevice(&on_host, &on_host, 1<% if streams %>, nullptr<% endif %>).ok());
  for (void* block : blocks) runtime->Free(block);
  void* again = nullptr;
  CHECK(runtime->Allocate(1 << 20, &again).ok() && again == blocks[0]);
  runtime->Free(again);
<% if host_accessible %>
  // Memory that both reach has one address, and only as long as it is allocated.
  void* both = nullptr;
  if (!CHECK(runtime->AllocateHost(100, &both).ok())) return;
  char* const bytes = static_cast<char*>(both);
  bytes[99] = 7;
  CHECK(runtime->KernelAddress(bytes) == bytes && runtime->KernelAddress(bytes + 99) == bytes + 99);
  CHECK(runtime->KernelAddress(bytes + 100) == nullptr);
  CHECK(runtime->CopyOnDevice(bytes, bytes + 99, 1<% if streams %>, nullptr<% endif %>).ok() && bytes[0] == 7);
  runtime->Free(both);  // not that kind of memory: nothing happens
  CHECK(runtime->KernelAddress(both) == both);
  runtime->FreeHost(&on_host);
  runtime->FreeHost(nullptr);
  runtime->FreeHost(both);
  CHECK(runtime->KernelAddress(both) == nullptr);
<% endif %>
}
<% endif %>

// What ORT calls never throws.
struct Thrower : OrtEp {
  using Struct = OrtEp;
  const Api& api() const { return table; }
  Status ThrowError() { throw std::bad_alloc(); }
  Status ThrowOther() { throw 1; }
  bool ThrowValue() const { throw 1; }
  void* ThrowPointer() { throw 1; }
  void ThrowNothing() { throw 1; }
  Api table{&ort_table, &ep_table, 25};
};

void TestGuards() {
  fake = {};
  Thrower thrower;
  CHECK(Take(Callback<&Thrower::ThrowError>::Call(&thrower)) == std::bad_alloc().what());
  CHECK(!Take(Callback<&Thrower::ThrowOther>::Call(&thrower)).empty());
  CHECK(!Callback<&Thrower::ThrowValue>::Call(&thrower));
  CHECK(Callback<&Thrower::ThrowPointer>::Call(&thrower) == nullptr);
  Callback<&Thrower::ThrowNothing>::Call(&thrower);
  CHECK(fake.live == 0);
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
  FillOrt();
  FillEp();
  TestVersionParser();
  TestRefusedRuntimes();
  TestAcceptedRuntimes();
  TestBadCalls();
  TestDevicesRollBack();
  TestStamps();
<% if compiled %>
  TestCompileFails();
<% endif %>
<% if device_memory and host_runtime %>
  TestDeviceMemory();
<% endif %>
  TestGuards();
  return Verdict();
}
