<%= banner %>
#include "abi/context_data.h"

#include <cstring>
#include <memory>

#include "abi/bridge.h"
#include "gen/graph/blob.h"

namespace <%= ns %> {
namespace {

constexpr uint32_t kByName = 28;    // the first level whose runtime knows these functions by name
<% if target >= 31 %>
constexpr uint32_t kInTable = 31;  // the first one with entries of the table for them
<% endif %>

template <class Function>
void LookUp(const OrtApi& ort, const char* name, Function* function) noexcept {
  *function = reinterpret_cast<Function>(ort.GetExperimentalFunction(name));
}

}  // namespace

ContextData::Access ContextData::Find(const Api& api) noexcept {
  Access access;
  if (api.level < kByName) return access;
<% if target >= 31 %>
  if (api.level >= kInTable) {
    access.get_config = api.ep->SessionOptionsGetEpContextConfig;
    access.release_config = api.ep->ReleaseEpContextConfig;
    access.get_read = api.ep->EpContextConfigGetEpContextDataReadFunc;
    access.get_write = api.ep->EpContextConfigGetEpContextDataWriteFunc;
    return access;
  }
<% endif %>
  const OrtApi& ort = *api.ort;
  LookUp(ort, "OrtEpApi_SessionOptions_GetEpContextConfig_SinceV28", &access.get_config);
  LookUp(ort, "OrtEpApi_ReleaseEpContextConfig_SinceV28", &access.release_config);
  LookUp(ort, "OrtEpApi_EpContextConfig_GetEpContextDataReadFunc_SinceV28", &access.get_read);
  LookUp(ort, "OrtEpApi_EpContextConfig_GetEpContextDataWriteFunc_SinceV28", &access.get_write);
  // Later runtimes know the functions no more; then there are no callbacks to be had.
  const bool complete = access.get_config != nullptr && access.release_config != nullptr &&
                        access.get_read != nullptr && access.get_write != nullptr;
  return complete ? access : Access();
}

ContextData::~ContextData() {
  if (config_ != nullptr) access_.release_config(config_);
}

Status ContextData::Init(const OrtSessionOptions* session) {
  access_ = Find(api_);
  if (access_.get_config == nullptr) return Status();
  EP_RETURN_IF_ERROR(FromOrt(api_, access_.get_config(session, &config_)));
  EP_RETURN_IF_ERROR(FromOrt(api_, access_.get_read(config_, &read_, &read_state_)));
  return FromOrt(api_, access_.get_write(config_, &write_, &write_state_));
}

Status ContextData::Read(const std::string& name, SharedBytes* bytes) const {
  OrtAllocator* allocator = nullptr;  // ORT's own, not ours to release
  EP_ORT(api_, ort->GetAllocatorWithDefaultOptions(&allocator));
  void* data = nullptr;
  size_t size = 0;
  const Status read = FromOrt(api_, read_(read_state_, name.c_str(), allocator, &data, &size));
  const std::shared_ptr<const void> owner(data, [allocator](const void* buffer) {
    if (buffer != nullptr) allocator->Free(allocator, const_cast<void*>(buffer));
  });
  if (!read.ok()) {
    return Status(read.code(), "the application's callback could not read '" + name +
                                   "': " + read.message());
  }
  if (data == nullptr && size > 0) {
    return Failed("the application's callback read '" + name + "' and gave no data");
  }
  if (reinterpret_cast<uintptr_t>(data) % kBlobAlignment == 0) {
    *bytes = {owner, static_cast<const unsigned char*>(data), size};
    return Status();
  }
  unsigned char* aligned = nullptr;
  *bytes = AllocateBlob(size, &aligned);
  std::memcpy(aligned, data, size);
  return Status();
}

Status ContextData::Write(const std::string& name, const std::vector<unsigned char>& bytes) const {
  const Status written =
      FromOrt(api_, write_(write_state_, name.c_str(), bytes.data(), bytes.size()));
  if (written.ok()) return written;
  return Status(written.code(), "the application's callback could not write '" + name +
                                    "': " + written.message());
}

}  // namespace <%= ns %>
