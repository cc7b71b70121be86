<%= banner %>
#include "abi/status_bridge.h"

#include "abi/handles.h"

namespace <%= ns %> {

Status FromOrt(const Api& api, OrtStatus* status) {
  if (status == nullptr) return Status();
  const Handle<&OrtApi::ReleaseStatus> owned(*api.ort, status);
  const char* message = api.ort->GetErrorMessage(status);
  const OrtErrorCode code = api.ort->GetErrorCode(status);
  if (code == ORT_INVALID_ARGUMENT) return InvalidArgument(message);
  if (code == ORT_NOT_IMPLEMENTED) return NotImplemented(message);
  return Failed(message);
}

OrtStatus* ToOrt(const OrtApi& ort, const Status& status) noexcept {
  if (status.ok()) return nullptr;
  // A lost device has a code of its own only in runtimes newer than the target.
  OrtErrorCode code = ORT_EP_FAIL;
  if (status.code() == StatusCode::kInvalidArgument) code = ORT_INVALID_ARGUMENT;
  if (status.code() == StatusCode::kNotImplemented) code = ORT_NOT_IMPLEMENTED;
  return ort.CreateStatus(code, status.message().c_str());
}

}  // namespace <%= ns %>
