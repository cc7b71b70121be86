<%= banner %>
#include "abi/data_transfer.h"

<% if host_accessible %>
#include <cstring>

<% endif %>
#include "abi/bridge.h"
#include "abi/guard.h"

namespace <%= ns %> {
namespace {

bool IsHost(const Api& api, const OrtMemoryDevice* device) {
  return api.ep->MemoryDevice_GetDeviceType(device) == OrtMemoryInfoDeviceType_CPU;
}

<% if host_accessible %>
// Host code may follow its addresses: the host's own memory, and what the device reaches of it.
bool IsReadable(const Api& api, const OrtMemoryDevice* device) {
  return IsHost(api, device) ||
         api.ep->MemoryDevice_GetMemoryType(device) == OrtDeviceMemoryType_HOST_ACCESSIBLE;
}

<% endif %>
}  // namespace

Status CopyValue(const Factory& factory, const OrtValue* from, OrtValue* to) {
  const Api& api = factory.api();
  size_t bytes = 0;
  const void* source = nullptr;
  void* target = nullptr;
  EP_ORT(api, ort->GetTensorSizeInBytes(from, &bytes));
  if (bytes == 0) return Status();
  EP_ORT(api, ort->GetTensorData(from, &source));
  EP_ORT(api, ort->GetTensorMutableData(to, &target));
<% if host_accessible %>
  const bool from_host = IsReadable(api, api.ep->Value_GetMemoryDevice(from));
  const bool to_host = IsReadable(api, api.ep->Value_GetMemoryDevice(to));
  if (from_host && to_host) {
    std::memmove(target, source, bytes);
    return Status();
  }
<% else %>
  const bool from_host = IsHost(api, api.ep->Value_GetMemoryDevice(from));
  const bool to_host = IsHost(api, api.ep->Value_GetMemoryDevice(to));
  if (from_host && to_host) return InvalidArgument("a copy from host to host is not the device's");
<% endif %>
  if (from_host) return factory.runtime().CopyToDevice(target, source, bytes);
  if (to_host) return factory.runtime().CopyToHost(target, source, bytes);
  return factory.runtime().CopyOnDevice(target, source, bytes);
}

DataTransfer::DataTransfer(const Factory& factory)
    : OrtDataTransferImpl(Stamped<OrtDataTransferImpl>(factory.api())), factory_(factory) {
  Release = Delete<DataTransfer>;
  CanCopy = Callback<&DataTransfer::Handles>::Call;
  CopyTensors = Callback<&DataTransfer::Copy>::Call;
}

bool DataTransfer::Handles(const OrtMemoryDevice* from, const OrtMemoryDevice* to) const {
  const bool from_ours = factory_.FindMemory(from) != nullptr;
  const bool to_ours = factory_.FindMemory(to) != nullptr;
  return (from_ours && (to_ours || IsHost(api(), to))) || (to_ours && IsHost(api(), from));
}

// Not stream aware: `streams` is null, and a copy has been made when the call returns.
Status DataTransfer::Copy(const OrtValue** from, OrtValue** to, OrtSyncStream** /*streams*/,
                          size_t count) {
  for (size_t i = 0; i < count; ++i) EP_RETURN_IF_ERROR(CopyValue(factory_, from[i], to[i]));
  return Status();
}

}  // namespace <%= ns %>
