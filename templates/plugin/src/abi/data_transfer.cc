<%= banner %>
#include "abi/data_transfer.h"

<% if host_accessible %>
#include <cstring>

<% endif %>
#include "abi/bridge.h"
#include "abi/guard.h"
<% if streams %>
#include "abi/sync_stream.h"
<% endif %>

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

<% if streams %>
Status Copies::Add(const OrtValue* from, OrtValue* to, Stream stream) {
  const Api& api = factory_.api();
  size_t bytes = 0;
  EP_ORT(api, ort->GetTensorSizeInBytes(from, &bytes));
  if (bytes == 0) return Status();
  if (stream == nullptr && !is_idle_) {
    EP_RETURN_IF_ERROR(factory_.order().WaitForAll());
    is_idle_ = true;
  }
  return AddBytes(from, to, bytes, stream);
}

Status Copies::AddBytes(const OrtValue* from, OrtValue* to, size_t bytes, Stream stream) {
  const Api& api = factory_.api();
  Runtime& runtime = factory_.runtime();
  const void* source = nullptr;
  void* target = nullptr;
  EP_ORT(api, ort->GetTensorData(from, &source));
  EP_ORT(api, ort->GetTensorMutableData(to, &target));
  if (stream != nullptr) is_idle_ = false;
<% if host_accessible %>
  const bool from_host = IsReadable(api, api.ep->Value_GetMemoryDevice(from));
  const bool to_host = IsReadable(api, api.ep->Value_GetMemoryDevice(to));
  if (from_host && to_host) {
    if (stream != nullptr) EP_RETURN_IF_ERROR(factory_.order().Wait(stream));
    std::memmove(target, source, bytes);
    return Status();
  }
  // What the device reaches is given back in the order of the queue; all else may be gone as soon as
  // ORT knows of the copy. So may what is copied to the device: nobody waits for that.
  const bool stays = to_host && !IsHost(api, api.ep->Value_GetMemoryDevice(to));
<% else %>
  const bool from_host = IsHost(api, api.ep->Value_GetMemoryDevice(from));
  const bool to_host = IsHost(api, api.ep->Value_GetMemoryDevice(to));
  if (from_host && to_host) return InvalidArgument("a copy from host to host is not the device's");
  const bool stays = false;
<% endif %>
  if (stream != nullptr && (from_host || to_host) && !stays) unfinished_.insert(stream);
<% if graph_capture %>
  if (stream != nullptr && factory_.order().IsHeld(stream)) {
    factory_.captures().Use(stream, source);
    factory_.captures().Use(stream, target);
  }
<% endif %>
  if (from_host) return runtime.CopyToDevice(target, source, bytes, stream);
  if (to_host) return runtime.CopyToHost(target, source, bytes, stream);
  return runtime.CopyOnDevice(target, source, bytes, stream);
}

Status Copies::Finish() {
  Status first;
  for (Stream stream : unfinished_) {  // all of them, also after an error of one
    const Status waited = factory_.order().Wait(stream);
    if (first.ok()) first = waited;
  }
  unfinished_.clear();
  return first;
}
<% else %>
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
<% endif %>

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

<% if streams %>
Status DataTransfer::Copy(const OrtValue** from, OrtValue** to, OrtSyncStream** streams,
                          size_t count) {
  Copies copies(factory_);
  Status status;
  for (size_t i = 0; i < count && status.ok(); ++i) {
    OrtSyncStream* given = streams != nullptr ? streams[i] : nullptr;  // neither need be there
    status = copies.Add(from[i], to[i], SyncStream::Find(api(), factory_.runtime(), given));
  }
  const Status finished = copies.Finish();  // also after an error: earlier copies are queued
  return status.ok() ? finished : status;
}
<% else %>
// Not stream aware: `streams` is null, and a copy has been made when the call returns.
Status DataTransfer::Copy(const OrtValue** from, OrtValue** to, OrtSyncStream** /*streams*/,
                          size_t count) {
  for (size_t i = 0; i < count; ++i) EP_RETURN_IF_ERROR(CopyValue(factory_, from[i], to[i]));
  return Status();
}
<% endif %>

}  // namespace <%= ns %>
