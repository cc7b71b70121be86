"""Defects against the contract with the runtime: they show when it is older, when a call of its
fails, when it is watched, and when several threads use it."""

from __future__ import annotations

from defects.model import Defect, Patch, Sign

_MEMORY = ("--rung", "memory")
_SANITIZED = ("--rung", "threads", "--sanitize")


def _memory(place: str, check: str = ".*") -> tuple[Sign, ...]:
    return (Sign("memory", check, place),)


_FACTORY = "src/abi/factory.cc"
_DEVICES = "src/abi/factory_devices.cc"
_ENTRY = "src/abi/entry.cc"
_NEGOTIATE = "src/abi/negotiate.h"
_TOO_OLD = """  if (!readable || version[0] != kMinimumOrt[0] || version < kMinimumOrt) {
    std::string minimum;
    for (int part : kMinimumOrt) minimum += (minimum.empty() ? "" : ".") + std::to_string(part);
    return NotImplemented(std::string(kProject) + " " + kVersion + " needs ONNX Runtime " +
                          minimum + " or a newer 1.x; this is '" + text + "'");
  }
"""

ENTRY = (
    Defect(
        "D7",
        "the table of the headers' version is used unseen",
        "registry",
        (
            Patch(_NEGOTIATE, _TOO_OLD, "  (void)readable;\n"),
            Patch(
                _NEGOTIATE,
                "api->ort = base.GetApi(level);\n"
                "  api->ep = api->ort != nullptr ? api->ort->GetEpApi() : nullptr;",
                "api->ort = base.GetApi(kTargetApi);\n  api->ep = api->ort->GetEpApi();",
            ),
        ),
        _MEMORY,
        _memory("CreateEpFactories"),
    ),
    Defect(
        "D2",
        "what the entry point returns where there is no room has been released",
        "registry",
        (
            Patch(
                _ENTRY,
                "  return ep::GuardStatus(*first, [&]() -> ep::Status {\n    if (factories",
                "  if (max_factories == 0) {\n"
                '    OrtStatus* status = first->CreateStatus(ORT_INVALID_ARGUMENT, "no room");\n'
                "    first->ReleaseStatus(status);\n    return status;\n  }\n"
                "  return ep::GuardStatus(*first, [&]() -> ep::Status {\n    if (factories",
            ),
        ),
        _MEMORY,
        _memory("CreateEpFactories"),
    ),
    Defect(
        "D8",
        "the entry point lets exceptions through",
        "registry",
        (
            Patch(
                _ENTRY,
                "size_t* num_factories) noexcept {",
                "size_t* num_factories) {",
            ),
            Patch(
                _ENTRY,
                "  return ep::GuardStatus(*first, [&]() -> ep::Status {\n    if (factories",
                "  const auto make = [&]() -> ep::Status {\n    if (factories",
            ),
            Patch(
                _ENTRY,
                "    return ep::Status();\n  });\n",
                "    return ep::Status();\n  };\n  return ep::ToOrt(*first, make());\n",
            ),
        ),
        _MEMORY,
        _memory("CreateEpFactories"),
    ),
    Defect(
        "D11",
        "that the runtime is too old is said through a table that is not there yet",
        "registry",
        (
            Patch(
                _ENTRY,
                "    EP_RETURN_IF_ERROR(ep::Negotiate(*base, &api));",
                "    if (const ep::Status bad = ep::Negotiate(*base, &api); !bad.ok()) {\n"
                "      api.ort->ReleaseStatus(api.ort->CreateStatus(ORT_FAIL, bad.message()));\n"
                "      return bad;\n    }",
            ),
        ),
        _MEMORY,
        _memory("CreateEpFactories"),
    ),
)

DEVICES = (
    Defect(
        "D25",
        "a device leaks when its allocator's information is refused",
        "memory",
        (
            Patch(
                _DEVICES,
                "  EP_ORT(api_, ep->EpDevice_AddAllocatorInfo(device.get(), info.get()));"
                "  // keeps the pointer\n",
                "  OrtEpDevice* raw = device.release();\n"
                "  EP_ORT(api_, ep->EpDevice_AddAllocatorInfo(raw, info.get()));\n"
                "  *device.out() = raw;\n",
            ),
        ),
        _MEMORY,
        _memory("GetSupportedDevices|EpDevice_AddAllocatorInfo"),
    ),
    Defect(
        "D26",
        "devices of earlier turns of the loop leak when a later one fails",
        "registry",
        (
            Patch(
                _DEVICES,
                "  for (EpDevice& device : made.devices) devices[(*device_count)++] = "
                "device.release();\n",
                "  *device_count = made.devices.size();\n"
                "  for (EpDevice& device : made.devices) device.release();\n",
            ),
            Patch(
                _DEVICES,
                "  made->devices.push_back(std::move(device));\n",
                "  made->slots[made->devices.size()] = device.release();\n"
                "  made->devices.push_back(std::move(device));\n",
            ),
            Patch(
                _DEVICES,
                "  made.room = max_devices;\n",
                "  made.room = max_devices;\n  made.slots = devices;\n",
            ),
            Patch(
                "src/abi/factory.h",
                "    size_t room = 0;  // for devices\n",
                "    size_t room = 0;  // for devices\n    OrtEpDevice** slots = nullptr;\n",
            ),
        ),
        _MEMORY,
        _memory("GetSupportedDevices", "twins|failures"),
    ),
    Defect(
        "D27",
        "the number of devices is not set where there are none",
        "registry",
        (
            Patch(_DEVICES, "  *device_count = 0;\n  Made made;", "  Made made;"),
            Patch(
                _DEVICES,
                "  for (EpDevice& device : made.devices) devices[(*device_count)++] = "
                "device.release();\n",
                "  if (made.devices.empty()) return Status();\n  *device_count = 0;\n"
                "  for (EpDevice& device : made.devices) devices[(*device_count)++] = "
                "device.release();\n",
            ),
        ),
        _MEMORY,
        _memory("GetSupportedDevices"),
    ),
    Defect(
        "D28",
        "a device is counted and used before anyone looks whether it was made",
        "memory",
        (
            Patch(
                _DEVICES,
                "  EP_ORT(api_, ep->CreateEpDevice(this, hardware, metadata.get(), nullptr, "
                "device.out()));\n",
                "  OrtStatus* const made_it =\n"
                "      api_.ep->CreateEpDevice(this, hardware, metadata.get(), nullptr, "
                "device.out());\n",
            ),
            Patch(
                _DEVICES,
                "  made->memory.push_back(std::move(info));\n",
                "  EP_RETURN_IF_ERROR(FromOrt(api_, made_it));\n"
                "  made->memory.push_back(std::move(info));\n",
            ),
        ),
        _MEMORY,
        _memory("GetSupportedDevices|EpDevice_AddAllocatorInfo"),
    ),
    Defect(
        "D31",
        "there is one memory information for all devices, made anew for each",
        "memory",
        (
            Patch(
                _DEVICES,
                "  for (MemoryInfo& info : made.memory) memory_.push_back(std::move(info));\n",
                "  for (MemoryInfo& info : made.memory) {\n    memory_.clear();\n"
                "    memory_.push_back(std::move(info));\n  }\n",
            ),
        ),
        _MEMORY,
        _memory("CreateAllocator|MemoryInfo", "twins"),
    ),
    Defect(
        "FR24",
        "the pairs that describe a device leak",
        "registry",
        (
            Patch(
                _DEVICES,
                "  EpDevice device(*api_.ep);\n",
                "  EpDevice device(*api_.ep);\n  KeyValuePairs copy(*api_.ort);\n"
                "  api_.ort->CreateKeyValuePairs(copy.out());\n"
                '  api_.ort->AddKeyValuePair(copy.release(), "copy", "1");\n',
            ),
        ),
        _MEMORY,
        _memory("KeyValuePairs"),
    ),
)

SESSIONS = (
    Defect(
        "D1",
        "a status is returned that has been released",
        "registry",
        (
            Patch(
                "src/abi/kernel_adapter.cc",
                "  return GuardStatus(*registered.api->ort, [&]() -> Status {\n",
                "  OrtStatus* status = GuardStatus(*registered.api->ort, [&]() -> Status {\n",
            ),
            Patch(
                "src/abi/kernel_adapter.cc",
                "    *kernel = made.release();\n    return Status();\n  });\n",
                "    *kernel = made.release();\n    return Status();\n  });\n"
                "  if (status != nullptr) registered.api->ort->ReleaseStatus(status);\n"
                "  return status;\n",
            ),
        ),
        _MEMORY,
        _memory("(?i)create_?kernel|kernel_?create"),
    ),
    Defect(
        "D1 session",
        "making a provider returns a status that has been released",
        "registry",
        (
            Patch(
                _FACTORY,
                "  CreateEp = Callback<&Factory::MakeEp>::Call;\n",
                "  CreateEp = [](OrtEpFactory* self, const OrtHardwareDevice* const* devices,\n"
                "                const OrtKeyValuePairs* const* metadata, size_t count,\n"
                "                const OrtSessionOptions* session, const OrtLogger* logger,\n"
                "                OrtEp** ep) noexcept -> OrtStatus* {\n"
                "    OrtStatus* status = Callback<&Factory::MakeEp>::Call(\n"
                "        self, devices, metadata, count, session, logger, ep);\n"
                "    if (status != nullptr)\n"
                "      static_cast<Factory*>(self)->api().ort->ReleaseStatus(status);\n"
                "    return status;\n  };\n",
            ),
        ),
        ("--rung", "load"),
        (Sign("load", "options", "OrtEpFactory.CreateEp.*released"),),
    ),
    Defect(
        "D39",
        "the session's entries leak when an option is refused",
        "registry",
        (
            Patch(
                "src/abi/ep.cc",
                "  EP_RETURN_IF_ERROR(ParseOptions(given.data(), given.size(), &options_));\n",
                "  OrtKeyValuePairs* raw = entries.release();\n"
                "  EP_RETURN_IF_ERROR(ParseOptions(given.data(), given.size(), &options_));\n"
                "  api().ort->ReleaseKeyValuePairs(raw);\n",
            ),
        ),
        _MEMORY,
        _memory("CreateEp|KeyValuePairs"),
    ),
    Defect(
        "D43",
        "compiled groups leak when a later one fails",
        "compiled",
        (
            Patch(
                "src/abi/ep.cc",
                "    EP_RETURN_IF_ERROR(CompileGroup(graphs[i], fused[i], &reader, &made[i], "
                "&node_counts[i]));\n",
                "    const Status status =\n"
                "        CompileGroup(graphs[i], fused[i], &reader, &made[i], &node_counts[i]);\n"
                "    if (!status.ok()) {\n"
                "      for (size_t j = 0; j < count; ++j) made[j].release();\n"
                "      return status;\n    }\n",
            ),
        ),
        _MEMORY,
        _memory("OrtEp.Compile|CompileGroups"),
    ),
    Defect(
        "D44",
        "what runs a compiled group has no guard",
        "compiled",
        (
            Patch(
                "src/abi/compute_info.cc",
                "  Compute = Callback<&ComputeInfo::Run>::Call;\n",
                "  Compute = [](OrtNodeComputeInfo* self, void* state,\n"
                "               OrtKernelContext* context) -> OrtStatus* {\n"
                "    auto* info = static_cast<ComputeInfo*>(self);\n"
                "    return ToOrt(*info->api().ort, info->Run(state, context));\n  };\n",
            ),
        ),
        _MEMORY,
        _memory("Compute"),
    ),
    Defect(
        "D66",
        "a line that cannot be logged fails the session",
        "registry",
        (
            Patch(
                _FACTORY,
                "  auto made = std::make_unique<Ep>(*this, session_logger);\n",
                '  EP_ORT(api_, ort->Logger_LogMessage(logger, ORT_LOGGING_LEVEL_INFO, "new",\n'
                '                                      ORT_TSTR("factory"), 0, kEpName));\n'
                "  auto made = std::make_unique<Ep>(*this, session_logger);\n",
            ),
        ),
        _MEMORY,
        _memory("Logger_LogMessage|CreateEp"),
    ),
    Defect(
        "no text",
        "an error has no text",
        "registry",
        (
            Patch(
                "src/abi/bridge.cc",
                "return ort.CreateStatus(code, status.message());",
                'return ort.CreateStatus(code, "");',
            ),
        ),
        (*_MEMORY, "--keep-going"),
        _memory("CreateEp"),
    ),
    Defect(
        "release",
        "an exception leaves the callback that releases a provider",
        "registry",
        (
            Patch(
                _FACTORY,
                "  ReleaseEp = Callback<&Factory::DropEp>::Call;\n",
                "  ReleaseEp = [](OrtEpFactory* self, OrtEp* ep) noexcept {\n"
                "    static_cast<Factory*>(self)->DropEp(ep);\n  };\n",
            ),
            Patch(
                _FACTORY,
                "{ delete static_cast<Ep*>(ep); }",
                '{\n  delete static_cast<Ep*>(ep);\n  throw std::runtime_error("gone");\n}',
            ),
            Patch(_FACTORY, "#include <string>\n", "#include <stdexcept>\n#include <string>\n"),
        ),
        ("--rung", "load"),
        (Sign("load", "rounds", "OrtEpFactory.ReleaseEp"),),
    ),
    Defect(
        "session leak",
        "each session leaves something behind in the heap",
        "registry",
        (
            Patch(
                _FACTORY,
                "  *ep = made.release();\n",
                "  *ep = made.release();\n  [[maybe_unused]] static void* volatile kept;\n"
                "  kept = ::operator new(4096);\n",
            ),
        ),
        _MEMORY,
        _memory("CreateEp"),
    ),
    Defect(
        "kernel twice",
        "a kernel definition is released twice",
        "registry",
        (
            Patch(
                "src/abi/kernel_registry.cc",
                "  entries_.push_back({&api_, &row});\n",
                "  entries_.push_back({&api_, &row});\n"
                "  if (entries_.size() == 1) {\n"
                "    const OrtKernelRegistry* registry = registry_.get();\n"
                "    EP_ORT(api_, ep->KernelRegistry_AddKernel(const_cast<OrtKernelRegistry*>("
                "registry),\n"
                "                                              kernel.get(), CreateKernel, "
                "&entries_.back()));\n"
                "    api_.ep->ReleaseKernelDef(kernel.get());\n"
                "    return Status();\n  }\n",
            ),
        ),
        ("--rung", "load"),
        (Sign("load", "rounds|two names|session", "KernelDef"),),
    ),
)

MEMORY = (
    Defect(
        "D15",
        "the allocator is stamped with the headers' version, whatever the runtime's is",
        "memory",
        (
            Patch(
                "src/abi/allocator.cc",
                "  Alloc = Callback",
                "  version = ORT_API_VERSION;\n  Alloc = Callback",
            ),
        ),
        ("--rung", "memory", "--runtime", "1.24.4"),
        _memory("OrtAllocator"),
    ),
    Defect(
        "D16",
        "the allocator's base is not set to anything before it is filled in",
        "memory",
        (
            Patch(
                "src/abi/allocator.cc",
                "    : OrtAllocator(Stamped<OrtAllocator>(api)), api_(api), runtime_(runtime), "
                "info_(info) {\n",
                "    : api_(api), runtime_(runtime), info_(info) {\n  version = api.level;\n",
            ),
        ),
        _MEMORY,
        _memory("OrtAllocator"),
    ),
    Defect(
        "D57",
        "a provider calls itself aware of streams that do nothing",
        "streams",
        (
            Patch(
                "src/abi/sync_stream.cc",
                "  if (users != nullptr) {\n    stream_ = users;\n  } else {\n"
                "    EP_RETURN_IF_ERROR(runtime_.CreateStream(&stream_));\n"
                "    is_own_ = true;\n  }\n  order_.Add(stream_);\n",
                "  (void)users;\n",
            ),
            Patch(
                "src/abi/sync_stream.cc",
                "  moment_ = order_.Now();\n  return runtime_.Record(event_, stream_);\n",
                "  return Status();\n",
            ),
            Patch(
                "src/abi/sync_stream.cc",
                "  EP_RETURN_IF_ERROR(runtime_.WaitOnHost(event_));\n"
                "  order_.SetDone(stream_, moment_);\n",
                "",
            ),
        ),
        _MEMORY,
        _memory("IsStreamAware|OrtSyncStream"),
    ),
    Defect(
        "D57 none",
        "a provider calls itself aware of streams and has none",
        "memory",
        (
            Patch(
                "src/abi/factory.h",
                "bool StreamAware() const { return false; }",
                "bool StreamAware() const { return true; }",
            ),
        ),
        ("--rung", "load"),
        (Sign("load", "session|two names|rounds", "CreateSyncStreamForDevice"),),
    ),
    Defect(
        "D60",
        "copies are told apart by the vendor alone",
        "memory",
        (
            Patch(
                "src/abi/data_transfer.cc",
                "  const bool from_ours = factory_.FindMemory(from) != nullptr;\n"
                "  const bool to_ours = factory_.FindMemory(to) != nullptr;\n",
                "  const auto is_ours = [&](const OrtMemoryDevice* device) {\n"
                "    return api().ep->MemoryDevice_GetVendorId(device) == kVendorId;\n  };\n"
                "  const bool from_ours = is_ours(from);\n  const bool to_ours = is_ours(to);\n",
            ),
        ),
        _MEMORY,
        _memory("CanCopy"),
    ),
)

THREADS = (
    Defect(
        "D46",
        "the kernel registry is made at the first call, without a lock",
        "registry",
        (
            Patch(
                _FACTORY,
                "  const std::lock_guard<std::mutex> lock(mutex_);\n  if (kernels_",
                "  if (kernels_",
            ),
        ),
        _SANITIZED,
        (Sign("threads", ".*", "GetKernelRegistry"),),
    ),
    Defect(
        "D56",
        "whether runs may overlap is not said",
        "registry",
        (
            Patch(
                "src/abi/ep.cc",
                "  IsConcurrentRunSupported = Callback<&Ep::ConcurrentRuns>::Call;\n",
                "",
            ),
        ),
        ("--rung", "threads"),
        (Sign("threads", "concurrency", r"OrtEp\.IsConcurrentRunSupported"),),
    ),
    Defect(
        "shared frame",
        "runs at the same time use the same memory",
        "registry",
        (
            Patch(
                "src/abi/kernel_adapter.cc",
                "Run(context, is_first ? &frame_ : &other)",
                "Run(context, &frame_)",
            ),
            Patch(
                "src/abi/kernel_adapter.cc",
                "  Frame other;  // for a run at the same time as the first\n",
                "",
            ),
        ),
        ("--rung", "threads"),
        (Sign("threads", ".*", "."), Sign("graphs", "shapes|sessions", "thread|twice")),
    ),
)
