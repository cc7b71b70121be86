<%= banner %>
#include "abi/tensors.h"

#include "abi/status_bridge.h"

namespace <%= ns %> {

// Both numberings are that of onnx.TensorProto.DataType.
static_assert(static_cast<int>(DType::kFloat64) == ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE &&
              static_cast<int>(DType::kBfloat16) == ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16);

Status ViewTensor(const Api& api, const OrtValue* value, Tensor* tensor, bool* present) {
  *present = false;
  int has_value = 0;
  if (value != nullptr) EP_ORT(api, ort->HasValue(value, &has_value));
  if (has_value == 0) return Status();
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  const int64_t* dims = nullptr;
  size_t rank = 0;
  EP_ORT(api, ort->GetTensorElementTypeAndShapeDataReference(value, &type, &dims, &rank));
  EP_ORT(api, ort->GetTensorData(value, &tensor->raw));
  tensor->dtype = static_cast<DType>(type);
  if (rank > 0) tensor->shape.assign(dims, dims + rank);
  *present = true;
  return Status();
}

Status CopyTensor(const Api& api, const OrtValue* value, TensorValue* copy) {
  Tensor tensor;
  bool present = false;
  EP_RETURN_IF_ERROR(ViewTensor(api, value, &tensor, &present));
  if (SizeOf(tensor.dtype) == 0) return NotImplemented("a tensor attribute of this element type");
  const auto* bytes = static_cast<const unsigned char*>(tensor.raw);
  const size_t size = static_cast<size_t>(tensor.size()) * SizeOf(tensor.dtype);
  copy->dtype = tensor.dtype;
  copy->shape = tensor.shape;
  copy->bytes.clear();
  if (size > 0) copy->bytes.assign(bytes, bytes + size);
  return Status();
}

}  // namespace <%= ns %>
