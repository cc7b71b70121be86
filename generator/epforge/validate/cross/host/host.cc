#include "host.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "crowd.h"
#include "leaks.h"
#include "library.h"
#include "probes.h"
#include "tensors.h"

namespace {

void ORT_API_CALL Log(void* /*param*/, OrtLoggingLevel severity, const char* category,
                      const char* /*logid*/, const char* location, const char* message) {
  Say("log", Member("severity", severity) + "," + Member("category", category) + "," +
                 Member("location", location) + "," + Member("message", message));
}

std::string Pairs(const std::string& key, const OrtKeyValuePairs* pairs) {
  std::string out = Quoted(key) + ":{";
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  std::size_t count = 0;
  if (pairs != nullptr) ort->GetKeyValuePairs(pairs, &keys, &values, &count);
  for (std::size_t i = 0; i < count; ++i) {
    out += (i == 0 ? "" : ",") + Member(keys[i], values[i]);
  }
  return out + "}";
}

std::string Described(const OrtEpDevice* device) {
  const OrtHardwareDevice* hardware = ort->EpDevice_Device(device);
  const std::string ep = Member("ep", ort->EpDevice_EpName(device)) + "," +
                         Member("vendor", ort->EpDevice_EpVendor(device));
  const std::string vendor = Member("hardware_vendor_id", ort->HardwareDevice_VendorId(hardware));
  return "{" + ep + "," + Member("type", ort->HardwareDevice_Type(hardware)) + "," + vendor + "," +
         Pairs("metadata", ort->EpDevice_EpMetadata(device)) + "," +
         Pairs("options", ort->EpDevice_EpOptions(device)) + "," +
         Pairs("hardware_metadata", ort->HardwareDevice_Metadata(hardware)) + "}";
}

OrtLoggingLevel Level(const std::string& text) {
  return static_cast<OrtLoggingLevel>(std::atoi(text.c_str()));
}

// A command of the shim plugin, which says what comes of it.
void Control(const Command& command) {
  using Function = int (*)(const char*, char*, std::size_t);
  const auto control = Library(command["library"]).Function<Function>("EpforgeShimControl");
  std::string reply(1, '\0');
  for (int size = 0; size >= 0;) {
    size = control(command["command"].c_str(), reply.data(), reply.size());
    if (size < 0) throw std::runtime_error("the shim refuses " + command["command"]);
    if (static_cast<std::size_t>(size) < reply.size()) {
      reply.resize(static_cast<std::size_t>(size));
      break;
    }
    reply.resize(static_cast<std::size_t>(size) + 1);
  }
  Say("control", Member("reply", reply));
}

}  // namespace

Host::Host(const OrtApiBase& base) : base_(base) {
  OrtEnv* env = nullptr;
  Check(ort->CreateEnvWithCustomLogger(Log, nullptr, ORT_LOGGING_LEVEL_FATAL, "epforge", &env));
  env_.reset(env);
}

void Host::Do(const Command& command) {
  if (command.verb == "severity") {
    Check(ort->UpdateEnvWithCustomLogLevel(env_.get(), Level(command["level"])));
  } else if (command.verb == "register") {
    Check(ort->RegisterExecutionProviderLibrary(env_.get(), command["name"].c_str(),
                                                Native(command["library"]).c_str()));
  } else if (command.verb == "unregister") {
    Check(ort->UnregisterExecutionProviderLibrary(env_.get(), command["name"].c_str()));
  } else if (command.verb == "loaded") {
    Say("loaded", Member("loaded", IsLoaded(command["library"]) ? 1 : 0));
  } else if (command.verb == "devices") {
    std::vector<std::string> items;
    for (const OrtEpDevice* device : Devices()) items.push_back(Described(device));
    Say("devices", List("devices", items));
  } else if (command.verb == "open") {
    OpenSession(command);
  } else if (command.verb == "run") {
    RunSession(command);
  } else if (command.verb == "close") {
    session_.reset();
  } else if (command.verb == "cycles") {
    Cycle(command);
  } else if (command.verb == "crowd") {
    const auto options = Options(command);
    // What is freed and allocated again is seen as such by a sanitizer only without the arena.
    Check(ort->DisableCpuMemArena(options.get()));
    Check(ort->DisableMemPattern(options.get()));
    Crowd(*env_, *options, command);
  } else if (command.verb == "control") {
    Control(command);
  } else if (command.verb == "probe") {
    Probe(base_, Hardware(), command);
  } else if (command.verb == "leaks") {
    session_.reset();
    Say("leaks", Member("found", FindLeaks()) + "," + Member("live", LiveBytes()));
  } else {
    throw std::runtime_error("no such command: " + command.verb);
  }
}

std::vector<const OrtEpDevice*> Host::Devices() const {
  const OrtEpDevice* const* found = nullptr;
  std::size_t count = 0;
  Check(ort->GetEpDevices(env_.get(), &found, &count));
  return {found, found + count};
}

// Adds the first device of the provider.
void Host::AddProvider(OrtSessionOptions* options, const std::string& ep) const {
  for (const OrtEpDevice* device : Devices()) {
    if (ep == ort->EpDevice_EpName(device)) {
      Check(ort->SessionOptionsAppendExecutionProvider_V2(options, env_.get(), &device, 1, nullptr,
                                                          nullptr, 0));
      return;
    }
  }
  throw std::runtime_error("no device of " + ep);
}

Owned<OrtSessionOptions> Host::Options(const Command& command) const {
  OrtSessionOptions* options = nullptr;
  Check(ort->CreateSessionOptions(&options));
  auto owned = Own(options, ort->ReleaseSessionOptions);
  Check(ort->SetIntraOpNumThreads(options, 1));
  const bool usual = command.Has("optimize");
  Check(ort->SetSessionGraphOptimizationLevel(options, usual ? ORT_ENABLE_ALL : ORT_DISABLE_ALL));
  Check(ort->SetSessionLogSeverityLevel(options, std::atoi(command["severity"].c_str())));
  const auto [first, last] = command.values.equal_range("config");
  for (auto entry = first; entry != last; ++entry) {
    const std::size_t equals = entry->second.find('=');
    Check(ort->AddSessionConfigEntry(options, entry->second.substr(0, equals).c_str(),
                                     entry->second.substr(equals + 1).c_str()));
  }
  if (command.Has("custom_ops")) {
    const Path library = Native(command["custom_ops"]);
    Check(ort->RegisterCustomOpsLibrary_V2(options, library.c_str()));
  }
  if (command.Has("optimized")) {
    const Path place = Native(command["optimized"]);
    Check(ort->SetOptimizedModelFilePath(options, place.c_str()));
  }
  if (command.Has("ep")) AddProvider(options, command["ep"]);
  return owned;
}

void Host::OpenSession(const Command& command) {
  session_.reset();
  const auto options = Options(command);
  OrtSession* session = nullptr;
  Check(ort->CreateSession(env_.get(), Native(command["model"]).c_str(), options.get(), &session));
  session_.reset(session);
  Say("opened", List("nodes", Assigned()));
}

void Host::Cycle(const Command& command) {
  session_.reset();
  const int count = std::atoi(command["count"].c_str());
  const auto options = Options(command);
  const Path model = Native(command["model"]);
  const std::vector<Tensor> inputs = ReadTensors(command["inputs"]);
  for (int i = 0; i < count; ++i) {
    OrtSession* session = nullptr;
    Check(ort->CreateSession(env_.get(), model.c_str(), options.get(), &session));
    session_.reset(session);
    Run(inputs, OutputNames());
    session_.reset();
  }
}

// The machine's hardware that anybody offers.
std::vector<const OrtHardwareDevice*> Host::Hardware() const {
  std::vector<const OrtHardwareDevice*> found;
  for (const OrtEpDevice* device : Devices()) {
    const OrtHardwareDevice* hardware = ort->EpDevice_Device(device);
    if (std::find(found.begin(), found.end(), hardware) == found.end()) found.push_back(hardware);
  }
  return found;
}

// Which provider has which node, where that is recorded.
std::vector<std::string> Host::Assigned() const {
  const OrtEpAssignedSubgraph* const* graphs = nullptr;
  std::size_t count = 0;
  OrtStatus* status = ort->Session_GetEpGraphAssignmentInfo(session_.get(), &graphs, &count);
  if (status != nullptr) {  // nobody asked for the record
    ort->ReleaseStatus(status);
    return {};
  }
  std::vector<std::string> items;
  for (std::size_t i = 0; i < count; ++i) {
    const char* ep = nullptr;
    const OrtEpAssignedNode* const* nodes = nullptr;
    std::size_t size = 0;
    Check(ort->EpAssignedSubgraph_GetEpName(graphs[i], &ep));
    Check(ort->EpAssignedSubgraph_GetNodes(graphs[i], &nodes, &size));
    for (std::size_t j = 0; j < size; ++j) {
      const char* name = nullptr;
      Check(ort->EpAssignedNode_GetName(nodes[j], &name));
      items.push_back("{" + Member("ep", ep) + "," + Member("name", name) + "}");
    }
  }
  return items;
}

void Host::RunSession(const Command& command) {
  if (!session_) throw std::runtime_error("no session is open");
  const std::vector<Tensor> inputs = ReadTensors(command["inputs"]);
  const std::vector<std::string> names = OutputNames();
  std::vector<OrtValue*> values;
  const std::vector<Owned<OrtValue>> owned = Run(inputs, names);
  for (const Owned<OrtValue>& value : owned) values.push_back(value.get());
  WriteTensors(command["outputs"], names, values);
}

std::vector<Owned<OrtValue>> Host::Run(const std::vector<Tensor>& inputs,
                                       const std::vector<std::string>& names) const {
  std::vector<const char*> input_names;
  std::vector<const OrtValue*> input_values;
  for (const Tensor& tensor : inputs) {
    input_names.push_back(tensor.name.c_str());
    input_values.push_back(tensor.value.get());
  }
  std::vector<const char*> output_names;
  for (const std::string& name : names) output_names.push_back(name.c_str());
  std::vector<OrtValue*> values(names.size());
  OrtStatus* status = ort->Run(session_.get(), nullptr, input_names.data(), input_values.data(),
                               inputs.size(), output_names.data(), names.size(), values.data());
  std::vector<Owned<OrtValue>> owned;
  for (OrtValue* value : values) owned.push_back(Own(value, ort->ReleaseValue));
  Check(status);
  return owned;
}

std::vector<std::string> Host::OutputNames() const {
  OrtAllocator* allocator = nullptr;
  Check(ort->GetAllocatorWithDefaultOptions(&allocator));
  std::size_t count = 0;
  Check(ort->SessionGetOutputCount(session_.get(), &count));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    Check(ort->SessionGetOutputName(session_.get(), i, allocator, &name));
    names.emplace_back(name);
    Check(ort->AllocatorFree(allocator, name));
  }
  return names;
}
