<%= banner %>
#include "abi/node_reader.h"

#include <utility>

#include "abi/handles.h"
#include "abi/status_bridge.h"
#include "abi/tensors.h"

namespace <%= ns %> {
namespace {

// A text that ORT writes with its terminator, once it has been asked for the size.
template <class Call>
Status ReadText(const Api& api, std::string* text, Call call) {
  size_t size = 0;
  EP_RETURN_IF_ERROR(FromOrt(api, call(nullptr, &size)));
  std::string buffer(size, '\0');
  EP_RETURN_IF_ERROR(FromOrt(api, call(buffer.data(), &size)));
  *text = buffer.c_str();
  return Status();
}

}  // namespace

Status NodeReader::Init(const OrtNode* node) {
  node_ = node;
  const char* domain = nullptr;
  const char* op = nullptr;
  const char* name = nullptr;
  EP_ORT(api_, ort->Node_GetDomain(node, &domain));
  EP_ORT(api_, ort->Node_GetOperatorType(node, &op));
  EP_ORT(api_, ort->Node_GetName(node, &name));
  EP_ORT(api_, ort->Node_GetSinceVersion(node, &since_));
  EP_ORT(api_, ort->Node_GetNumInputs(node, &input_count_));
  EP_ORT(api_, ort->Node_GetNumOutputs(node, &output_count_));
  domain_ = domain;
  op_ = op;
  name_ = name;
  return Status();
}

Status NodeReader::Init(const OrtKernelInfo* info) {
  info_ = info;
  EP_ORT(api_, ort->KernelInfo_GetOperatorSinceVersion(info, &since_));
  EP_ORT(api_, ort->KernelInfo_GetInputCount(info, &input_count_));
  EP_ORT(api_, ort->KernelInfo_GetOutputCount(info, &output_count_));
  EP_RETURN_IF_ERROR(ReadText(api_, &op_, [&](char* text, size_t* size) {
    return api_.ort->KernelInfo_GetOperatorType(info, text, size);
  }));
  return ReadText(api_, &name_, [&](char* text, size_t* size) {
    return api_.ort->KernelInfo_GetNodeName(info, text, size);
  });
}

Status NodeReader::InputName(size_t index, std::string* name) const {
  return ReadText(api_, name, [&](char* text, size_t* size) {
    return api_.ort->KernelInfo_GetInputName(info_, index, text, size);
  });
}

Status NodeReader::Find(const char* name, OrtOpAttrType type, const OrtOpAttr** attribute) const {
  // A name that the schema does not know is an error to ORT; to us there is no such attribute.
  if (!FromOrt(api_, api_.ort->Node_GetAttributeByName(node_, name, attribute)).ok()) {
    *attribute = nullptr;
  }
  OrtOpAttrType actual = type;
  if (*attribute != nullptr) EP_ORT(api_, ort->OpAttr_GetType(*attribute, &actual));
  if (actual == type) return Status();
  return InvalidArgument(std::string("attribute '") + name + "' is of the wrong kind");
}

Status NodeReader::Read(const char* name, OrtOpAttrType type, void* data, size_t* bytes,
                        bool* found) const {
  const OrtApi& ort = *api_.ort;
  if (node_ != nullptr) {
    const OrtOpAttr* attribute = nullptr;
    EP_RETURN_IF_ERROR(Find(name, type, &attribute));
    *found = attribute != nullptr;
    if (!*found) return Status();
    const Status read = FromOrt(api_, ort.ReadOpAttr(attribute, type, data, *bytes, bytes));
    return data != nullptr ? read : Status();  // too little room is an error even to a question
  }
  OrtStatus* status = nullptr;
  size_t width = 1;  // sizes of arrays are counts of elements here
  if (type == ORT_OP_ATTR_INT) {
    status = ort.KernelInfoGetAttribute_int64(info_, name, static_cast<int64_t*>(data));
  } else if (type == ORT_OP_ATTR_FLOAT) {
    status = ort.KernelInfoGetAttribute_float(info_, name, static_cast<float*>(data));
  } else if (type == ORT_OP_ATTR_STRING) {
    status = ort.KernelInfoGetAttribute_string(info_, name, static_cast<char*>(data), bytes);
  } else if (type == ORT_OP_ATTR_INTS) {
    *bytes /= width = sizeof(int64_t);
    auto* items = static_cast<int64_t*>(data);
    status = ort.KernelInfoGetAttributeArray_int64(info_, name, items, bytes);
  } else {
    *bytes /= width = sizeof(float);
    auto* items = static_cast<float*>(data);
    status = ort.KernelInfoGetAttributeArray_float(info_, name, items, bytes);
  }
  *bytes *= width;
  *found = FromOrt(api_, status).ok();
  return Status();
}

template <class T>
Status NodeReader::ReadOne(const char* name, OrtOpAttrType type, T* value, bool* found) const {
  T read{};
  size_t bytes = sizeof(T);
  bool is_there = false;
  EP_RETURN_IF_ERROR(Read(name, type, &read, &bytes, &is_there));
  if (is_there) *value = read;
  if (found != nullptr) *found = is_there;
  return Status();
}

template <class T>
Status NodeReader::ReadMany(const char* name, OrtOpAttrType type, T* value, bool* found) const {
  size_t bytes = 0;
  bool is_there = false;
  EP_RETURN_IF_ERROR(Read(name, type, nullptr, &bytes, &is_there));
  if (found != nullptr) *found = is_there;
  if (!is_there) return Status();
  T items(bytes / sizeof(typename T::value_type), typename T::value_type{});
  if (bytes > 0) EP_RETURN_IF_ERROR(Read(name, type, items.data(), &bytes, &is_there));
  *value = std::move(items);
  return Status();
}

Status NodeReader::Get(const char* name, int64_t* value, bool* found) const {
  return ReadOne(name, ORT_OP_ATTR_INT, value, found);
}

Status NodeReader::Get(const char* name, float* value, bool* found) const {
  return ReadOne(name, ORT_OP_ATTR_FLOAT, value, found);
}

Status NodeReader::Get(const char* name, std::string* value, bool* found) const {
  std::string text = *value;
  EP_RETURN_IF_ERROR(ReadMany(name, ORT_OP_ATTR_STRING, &text, found));
  *value = text.c_str();  // ORT's text ends with a terminator
  return Status();
}

Status NodeReader::Get(const char* name, std::vector<int64_t>* value, bool* found) const {
  return ReadMany(name, ORT_OP_ATTR_INTS, value, found);
}

Status NodeReader::Get(const char* name, std::vector<float>* value, bool* found) const {
  return ReadMany(name, ORT_OP_ATTR_FLOATS, value, found);
}

Status NodeReader::Get(const char* name, TensorValue* value, bool* found) const {
  Value tensor(*api_.ort);
  if (node_ != nullptr) {
    const OrtOpAttr* attribute = nullptr;
    EP_RETURN_IF_ERROR(Find(name, ORT_OP_ATTR_TENSOR, &attribute));
    if (attribute != nullptr) {
      EP_ORT(api_, ort->OpAttr_GetTensorAttributeAsOrtValue(attribute, tensor.out()));
    }
  } else {
    OrtAllocator* allocator = nullptr;  // ORT's own, not ours to release
    EP_ORT(api_, ort->GetAllocatorWithDefaultOptions(&allocator));
    // A failure means that there is no such attribute, and leaves the handle empty.
    (void)FromOrt(api_, api_.ort->KernelInfoGetAttribute_tensor(info_, name, allocator, tensor.out()));
  }
  if (found != nullptr) *found = tensor.get() != nullptr;
  return tensor.get() != nullptr ? CopyTensor(api_, tensor.get(), value) : Status();
}

}  // namespace <%= ns %>
