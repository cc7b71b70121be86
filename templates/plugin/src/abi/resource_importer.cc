<%= banner %>
#include "abi/resource_importer.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "abi/bridge.h"
#include "abi/guard.h"
#include "abi/sync_stream.h"
#include "gen/api/tensor.h"

namespace <%= ns %> {
namespace {

// Both numberings are the same, and go on in ORT's where newer runtimes know more.
static_assert(static_cast<int>(MemoryHandle::kVulkanFd) ==
                  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD &&
              static_cast<int>(SemaphoreHandle::kVulkanFd) ==
                  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD);

constexpr const char* kMemoryKinds[] = {"D3D12_RESOURCE", "D3D12_HEAP", "VK_MEMORY_WIN32",
                                        "VK_MEMORY_OPAQUE_FD"};
constexpr const char* kSemaphoreKinds[] = {"D3D12_FENCE", "VK_TIMELINE_SEMAPHORE_WIN32",
                                           "VK_TIMELINE_SEMAPHORE_OPAQUE_FD"};
constexpr uint32_t kSince = 24;  // of the descriptors

// The application's number, which need not be one that this code knows.
template <class Enum>
int32_t NumberOf(const Enum& kind) {
  static_assert(sizeof(Enum) == sizeof(int32_t));
  int32_t number = 0;
  std::memcpy(&number, &kind, sizeof(number));
  return number;
}

// Our own kind of that number, if the device takes it.
template <class Kind, size_t kCount>
Status FindKind(const char* call, const Runtime& runtime, int32_t number,
                const char* const (&names)[kCount], Kind* kind) {
  const bool is_known = number >= 0 && static_cast<size_t>(number) < kCount;
  *kind = static_cast<Kind>(is_known ? number : 0);
  if (is_known && runtime.CanImport(*kind)) return Status();
  const std::string name = is_known ? names[number] : "kind " + std::to_string(number);
  return NotImplemented(std::string(call) + ": the device does not import " + name);
}

Status CheckHead(const char* call, uint32_t version) {
  if (version >= kSince) return Status();
  return InvalidArgument(std::string(call) + ": the descriptor's version is " +
                         std::to_string(version) + "; it must be ORT_API_VERSION");
}

// How many bytes a tensor has.
Status SizeOfTensor(const OrtExternalTensorDescriptor& what, size_t element, size_t* bytes) {
  *bytes = element;
  bool is_empty = false;
  bool is_too_large = false;
  if (what.rank > 0 && what.shape == nullptr) {
    return InvalidArgument("CreateTensorFromMemory: shape is null");
  }
  for (size_t i = 0; i < what.rank; ++i) {
    const int64_t dim = what.shape[i];
    if (dim < 0) {
      return InvalidArgument("CreateTensorFromMemory: dimension " + std::to_string(i) + " is " +
                             std::to_string(dim));
    }
    is_empty = is_empty || dim == 0;
    if (dim == 0) continue;
    is_too_large = is_too_large || static_cast<uint64_t>(dim) > SIZE_MAX / *bytes;
    if (!is_too_large) *bytes *= static_cast<size_t>(dim);
  }
  if (is_empty) *bytes = 0;
  if (!is_too_large) return Status();
  return InvalidArgument("CreateTensorFromMemory: the shape has more bytes than there can be");
}

}  // namespace

ImportedMemory::ImportedMemory(const Api& api, Runtime& runtime, StreamOrder& order,
                               const OrtEpDevice* device, const OrtExternalMemoryDescriptor& from,
                               void* address)
    : OrtExternalMemoryHandle{}, runtime_(runtime), order_(order), address_(address) {
  version = api.level;
  ep_device = device;
  descriptor = from;
  Release = Delete<ImportedMemory>;
}

ImportedMemory::~ImportedMemory() {
  GuardValue([&] { order_.Settle(nullptr); });
  runtime_.ReleaseImported(address_);
}

ImportedSemaphore::ImportedSemaphore(const Api& api, Runtime& runtime, const OrtEpDevice* device,
                                     const OrtExternalSemaphoreDescriptor& from,
                                     Semaphore semaphore)
    : OrtExternalSemaphoreHandle{}, runtime_(runtime), semaphore_(semaphore) {
  version = api.level;
  ep_device = device;
  descriptor = from;
  Release = Delete<ImportedSemaphore>;
}

ResourceImporter::ResourceImporter(const Api& api, Runtime& runtime, StreamOrder& order,
                                   const OrtEpDevice* device, const OrtMemoryInfo* memory)
    : OrtExternalResourceImporterImpl(Stamped<OrtExternalResourceImporterImpl>(api)),
      api_(api),
      runtime_(runtime),
      order_(order),
      device_(device),
      memory_(memory) {
  CanImportMemory = Callback<&ResourceImporter::TakesMemory>::Call;
  ImportMemory = Callback<&ResourceImporter::TakeMemory>::Call;
  ReleaseMemory = Callback<&ResourceImporter::DropMemory>::Call;
  CreateTensorFromMemory = Callback<&ResourceImporter::MakeTensor>::Call;
  CanImportSemaphore = Callback<&ResourceImporter::TakesSemaphore>::Call;
  ImportSemaphore = Callback<&ResourceImporter::TakeSemaphore>::Call;
  ReleaseSemaphore = Callback<&ResourceImporter::DropSemaphore>::Call;
  WaitSemaphore = Callback<&ResourceImporter::Wait>::Call;
  SignalSemaphore = Callback<&ResourceImporter::Signal>::Call;
  Release = Delete<ResourceImporter>;
}

bool ResourceImporter::TakesMemory(OrtExternalMemoryHandleType kind) const {
  MemoryHandle known;
  return FindKind("CanImportMemory", runtime_, NumberOf(kind), kMemoryKinds, &known).ok();
}

bool ResourceImporter::TakesSemaphore(OrtExternalSemaphoreType kind) const {
  SemaphoreHandle known;
  return FindKind("CanImportSemaphore", runtime_, NumberOf(kind), kSemaphoreKinds, &known).ok();
}

Status ResourceImporter::TakeMemory(const OrtExternalMemoryDescriptor* from,
                                    OrtExternalMemoryHandle** handle) {
  MemoryHandle kind;
  *handle = nullptr;
  if (from == nullptr) return InvalidArgument("ImportMemory: there is no descriptor");
  EP_RETURN_IF_ERROR(CheckHead("ImportMemory", from->version));
  EP_RETURN_IF_ERROR(
      FindKind("ImportMemory", runtime_, NumberOf(from->handle_type), kMemoryKinds, &kind));
  if (from->native_handle == nullptr) return InvalidArgument("ImportMemory: native_handle is null");
  if (from->offset_bytes >= from->size_bytes) {
    return InvalidArgument("ImportMemory: nothing is left of size_bytes " +
                           std::to_string(from->size_bytes) + " after offset_bytes " +
                           std::to_string(from->offset_bytes));
  }
  void* address = nullptr;
  EP_RETURN_IF_ERROR(runtime_.ImportMemory(kind, from->native_handle, from->size_bytes, &address));
  try {
    *handle = std::make_unique<ImportedMemory>(api_, runtime_, order_, device_, *from, address)
                  .release();
  } catch (...) {
    runtime_.ReleaseImported(address);
    throw;
  }
  return Status();
}

void ResourceImporter::DropMemory(OrtExternalMemoryHandle* handle) {
  if (handle != nullptr) handle->Release(handle);
}

Status ResourceImporter::MakeTensor(const OrtExternalMemoryHandle* handle,
                                    const OrtExternalTensorDescriptor* what, OrtValue** tensor) {
  *tensor = nullptr;
  // Only ours have our callback.
  if (handle == nullptr || handle->Release != &Delete<ImportedMemory> ||
      handle->ep_device != device_) {
    return InvalidArgument("CreateTensorFromMemory: the memory was not imported for this device");
  }
  if (what == nullptr) return InvalidArgument("CreateTensorFromMemory: there is no descriptor");
  EP_RETURN_IF_ERROR(CheckHead("CreateTensorFromMemory", what->version));
  const int32_t type = NumberOf(what->element_type);
  const size_t element = type > 0 ? SizeOf(static_cast<DType>(type)) : 0;
  if (element == 0) {
    return NotImplemented("CreateTensorFromMemory: tensors of element type " +
                          std::to_string(type));
  }
  size_t bytes = 0;
  EP_RETURN_IF_ERROR(SizeOfTensor(*what, element, &bytes));
  const auto* memory = static_cast<const ImportedMemory*>(handle);
  if (what->offset_bytes > memory->size() || bytes > memory->size() - what->offset_bytes) {
    return InvalidArgument("CreateTensorFromMemory: " + std::to_string(bytes) +
                           " bytes from offset_bytes " + std::to_string(what->offset_bytes) +
                           " do not fit into the " + std::to_string(memory->size()) +
                           " bytes that were imported");
  }
  char* data = memory->begin() + what->offset_bytes;
  if (reinterpret_cast<uintptr_t>(data) % element != 0) {
    return InvalidArgument("CreateTensorFromMemory: with these offsets, elements of " +
                           std::to_string(element) + " bytes would not be aligned");
  }
  return FromOrt(api_, api_.ort->CreateTensorWithDataAsOrtValue(
                           memory_, data, bytes, what->shape, what->rank,
                           static_cast<ONNXTensorElementDataType>(type), tensor));
}

Status ResourceImporter::TakeSemaphore(const OrtExternalSemaphoreDescriptor* from,
                                       OrtExternalSemaphoreHandle** handle) {
  SemaphoreHandle kind;
  *handle = nullptr;
  if (from == nullptr) return InvalidArgument("ImportSemaphore: there is no descriptor");
  EP_RETURN_IF_ERROR(CheckHead("ImportSemaphore", from->version));
  EP_RETURN_IF_ERROR(
      FindKind("ImportSemaphore", runtime_, NumberOf(from->type), kSemaphoreKinds, &kind));
  if (from->native_handle == nullptr) {
    return InvalidArgument("ImportSemaphore: native_handle is null");
  }
  Semaphore semaphore = nullptr;
  EP_RETURN_IF_ERROR(runtime_.ImportSemaphore(kind, from->native_handle, &semaphore));
  try {
    *handle =
        std::make_unique<ImportedSemaphore>(api_, runtime_, device_, *from, semaphore).release();
  } catch (...) {
    runtime_.ReleaseSemaphore(semaphore);
    throw;
  }
  return Status();
}

void ResourceImporter::DropSemaphore(OrtExternalSemaphoreHandle* handle) {
  if (handle != nullptr) handle->Release(handle);
}

Status ResourceImporter::FindSemaphore(const char* call, const OrtExternalSemaphoreHandle* handle,
                                       OrtSyncStream* stream, Semaphore* semaphore,
                                       Stream* queue) const {
  if (handle == nullptr || handle->Release != &Delete<ImportedSemaphore> ||
      handle->ep_device != device_) {
    return InvalidArgument(std::string(call) + ": the semaphore was not imported for this device");
  }
  *semaphore = static_cast<const ImportedSemaphore*>(handle)->get();
  *queue = SyncStream::Find(api_, runtime_, stream);
  if (*queue != nullptr) return Status();
  return InvalidArgument(std::string(call) + ": the stream is not one of this device's");
}

Status ResourceImporter::Wait(OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream,
                              uint64_t value) {
  Semaphore semaphore = nullptr;
  Stream queue = nullptr;
  EP_RETURN_IF_ERROR(FindSemaphore("WaitSemaphore", handle, stream, &semaphore, &queue));
  return runtime_.WaitSemaphore(semaphore, value, queue);
}

Status ResourceImporter::Signal(OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream,
                                uint64_t value) {
  Semaphore semaphore = nullptr;
  Stream queue = nullptr;
  EP_RETURN_IF_ERROR(FindSemaphore("SignalSemaphore", handle, stream, &semaphore, &queue));
  return runtime_.SignalSemaphore(semaphore, value, queue);
}

}  // namespace <%= ns %>
