<%= banner %>
#include "abi/bridge.h"

#include "abi/handles.h"

namespace <%= ns %> {

Status ErrorFromOrt(const Api& api, OrtStatus* status) {
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
  return ort.CreateStatus(code, status.message());
}

// Both numberings are that of onnx.TensorProto.DataType.
static_assert(static_cast<int>(DType::kFloat64) == ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE &&
              static_cast<int>(DType::kBfloat16) == ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16);

Status ViewTensor(const Api& api, const OrtValue* value, Tensor* tensor) {
  tensor->dtype = DType::kUndefined;
  if (value == nullptr) return Status();
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  const int64_t* dims = nullptr;
  size_t rank = 0;
  // An error means that there is no tensor: an input that was not fed has a value with nothing in it.
  OrtStatus* look = api.ort->GetTensorElementTypeAndShapeDataReference(value, &type, &dims, &rank);
  if (!FromOrt(api, look).ok()) return Status();
  tensor->dtype = static_cast<DType>(type);
  tensor->shape.assign(dims, dims + rank);
  return FromOrt(api, api.ort->GetTensorData(value, &tensor->raw));
}
<% if tensor_attributes %>

Status CopyTensor(const Api& api, const OrtValue* value, TensorValue* copy) {
  Tensor tensor;
  EP_RETURN_IF_ERROR(ViewTensor(api, value, &tensor));
  if (SizeOf(tensor.dtype) == 0) return NotImplemented("a tensor attribute of this element type");
  const auto* bytes = static_cast<const unsigned char*>(tensor.raw);
  const size_t size = static_cast<size_t>(tensor.size()) * SizeOf(tensor.dtype);
  copy->dtype = tensor.dtype;
  copy->shape = tensor.shape;
  copy->bytes.clear();
  if (size > 0) copy->bytes.assign(bytes, bytes + size);
  return Status();
}
<% endif %>

}  // namespace <%= ns %>
