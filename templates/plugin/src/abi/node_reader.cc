<%= banner %>
#include "abi/node_reader.h"

<% if strings_attributes %>
#include <utility>

<% endif %>
<% if tensor_attributes %>
#include "abi/handles.h"
<% endif %>
#include "abi/bridge.h"

namespace <%= ns %> {
<% if custom_ops %>
namespace {

Status WrongKind(const char* name) {
  return InvalidArgument(std::string("attribute '") + name + "' is of the wrong kind");
}

}  // namespace

<% endif %>
Status NodeReader::Init(const OrtNode* node) {
  node_ = node;
  EP_ORT(api_, ort->Node_GetSinceVersion(node, &since_));
  EP_ORT(api_, ort->Node_GetNumInputs(node, &input_count_));
  return FromOrt(api_, api_.ort->Node_GetNumOutputs(node, &output_count_));
}

Status NodeReader::Init(const OrtKernelInfo* info) {
  info_ = info;
  EP_ORT(api_, ort->KernelInfo_GetOperatorSinceVersion(info, &since_));
  EP_ORT(api_, ort->KernelInfo_GetInputCount(info, &input_count_));
  return FromOrt(api_, api_.ort->KernelInfo_GetOutputCount(info, &output_count_));
}

<% if custom_ops %>
Status NodeReader::Init(const OrtShapeInferContext* context, int since, size_t output_count) {
  context_ = context;
  since_ = since;
  output_count_ = output_count;
  return FromOrt(api_, api_.ort->ShapeInferContext_GetInputCount(context, &input_count_));
}

<% endif %>
Status NodeReader::Find(const char* name, OrtOpAttrType type, const OrtOpAttr** attribute) const {
<% if custom_ops %>
  OrtStatus* status = context_ != nullptr
                          ? api_.ort->ShapeInferContext_GetAttribute(context_, name, attribute)
                          : api_.ort->Node_GetAttributeByName(node_, name, attribute);
<% else %>
  OrtStatus* status = api_.ort->Node_GetAttributeByName(node_, name, attribute);
<% endif %>
  // A name that the schema does not know is an error to ORT; to us there is no such attribute.
  if (!FromOrt(api_, status).ok()) *attribute = nullptr;
  OrtOpAttrType actual = type;
  if (*attribute != nullptr) EP_ORT(api_, ort->OpAttr_GetType(*attribute, &actual));
<% if custom_ops %>
  return actual == type ? Status() : WrongKind(name);
<% else %>
  if (actual == type) return Status();
  return InvalidArgument(std::string("attribute '") + name + "' is of the wrong kind");
<% endif %>
}

Status NodeReader::Read(const char* name, OrtOpAttrType type, void* data, size_t* bytes,
                        bool* found) const {
  const OrtApi& ort = *api_.ort;
  if (info_ == nullptr) {
    const OrtOpAttr* attribute = nullptr;
    EP_RETURN_IF_ERROR(Find(name, type, &attribute));
    *found = attribute != nullptr;
    if (!*found) return Status();
    const Status read = FromOrt(api_, ort.ReadOpAttr(attribute, type, data, *bytes, bytes));
    return data != nullptr ? read : Status();  // no room is an error even when asking for the size
  }
<% if custom_ops %>
  *found = FromOrt(api_, ReadInfo(name, type, data, bytes)).ok();
  // Of a list of another kind ORT says that it is empty.
  const bool list = type == ORT_OP_ATTR_INTS || type == ORT_OP_ATTR_FLOATS;
  return *found && !(list && *bytes == 0) ? Status() : CheckKind(name, type);
}

OrtStatus* NodeReader::ReadInfo(const char* name, OrtOpAttrType type, void* data,
                                size_t* bytes) const {
  const OrtApi& ort = *api_.ort;
<% endif %>
  OrtStatus* status = nullptr;
  size_t width = 1;  // of what ORT counts here: elements
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
<% if custom_ops %>
  return status;
}

Status NodeReader::CheckKind(const char* name, OrtOpAttrType type) const {
  constexpr OrtOpAttrType kKinds[] = {ORT_OP_ATTR_INT, ORT_OP_ATTR_FLOAT, ORT_OP_ATTR_STRING,
                                      ORT_OP_ATTR_INTS, ORT_OP_ATTR_FLOATS};
  for (OrtOpAttrType kind : kKinds) {
    const bool single = kind == ORT_OP_ATTR_INT || kind == ORT_OP_ATTR_FLOAT;
    int64_t value = 0;
    size_t bytes = 0;  // of others only the size is asked for
    OrtStatus* status = ReadInfo(name, kind, single ? &value : nullptr, &bytes);
    const bool found = FromOrt(api_, status).ok() && (single || bytes > 0);
    if (found && kind != type) return WrongKind(name);
  }
  return Status();
}
<% else %>
  *found = FromOrt(api_, status).ok();
  return Status();
}
<% endif %>

Status NodeReader::Get(const char* name, std::string* value, bool* found) const {
  std::string text = *value;
  EP_RETURN_IF_ERROR(ReadMany(name, ORT_OP_ATTR_STRING, &text, found));
  *value = text.c_str();  // ORT's text ends with a terminator
  return Status();
}

<% if strings_attributes %>
Status NodeReader::Get(const char* name, std::vector<std::string>* value, bool* found) const {
  std::vector<std::string> texts;
  bool is_there = false;
  if (info_ != nullptr) {
    EP_RETURN_IF_ERROR(ReadTexts(name, &texts, &is_there));
  } else {
    std::string all;
    EP_RETURN_IF_ERROR(ReadMany(name, ORT_OP_ATTR_STRINGS, &all, &is_there));
    // One after another, each with its terminator.
    for (size_t begin = 0; begin < all.size(); begin += texts.back().size() + 1) {
      texts.emplace_back(all.c_str() + begin);
    }
  }
<% if not compiled or also_kernels %>
  // Of a node that is claimed. Its kernel could not have the list, and would go by the default.
  if (info_ == nullptr && is_there && api_.level < 25 && texts != *value) {
    return NotImplemented(std::string("attribute '") + name +
                          "': kernels read lists of strings from ONNX Runtime 1.25 on, in a "
                          "library made for API level 25 or newer");
  }
<% endif %>
  if (found != nullptr) *found = is_there;
  if (is_there) *value = std::move(texts);
  return Status();
}

<% if target >= 25 %>
Status NodeReader::ReadTexts(const char* name, std::vector<std::string>* texts,
                             bool* found) const {
  *found = false;
  if (api_.level < 25) return Status();  // the claim has refused other lists than the default
  OrtAllocator* allocator = nullptr;  // ORT's own, not ours to release
  char** items = nullptr;
  size_t count = 0;
  EP_ORT(api_, ort->GetAllocatorWithDefaultOptions(&allocator));
  // A failure means that there is no such attribute.
  *found = FromOrt(api_, api_.ort->KernelInfoGetAttributeArray_string(info_, name, allocator,
                                                                      &items, &count))
               .ok();
  for (size_t i = 0; i < (*found ? count : 0); ++i) {
    texts->emplace_back(items[i]);
    allocator->Free(allocator, items[i]);
  }
  if (items != nullptr) allocator->Free(allocator, items);
<% if custom_ops %>
  return texts->empty() ? CheckKind(name, ORT_OP_ATTR_STRINGS) : Status();
<% else %>
  return Status();
<% endif %>
}
<% else %>
// Nothing is read at this API level: the claim has refused other lists than the default.
Status NodeReader::ReadTexts(const char* /*name*/, std::vector<std::string>* /*texts*/,
                             bool* found) const {
  *found = false;
  return Status();
}
<% endif %>

<% endif %>
<% if tensor_attributes %>
Status NodeReader::Get(const char* name, TensorValue* value, bool* found) const {
  Handle<&OrtApi::ReleaseValue> tensor(*api_.ort);
  if (info_ == nullptr) {
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
<% if custom_ops %>
    if (tensor.get() == nullptr) EP_RETURN_IF_ERROR(CheckKind(name, ORT_OP_ATTR_TENSOR));
<% endif %>
  }
  if (found != nullptr) *found = tensor.get() != nullptr;
  return tensor.get() != nullptr ? CopyTensor(api_, tensor.get(), value) : Status();
}
<% elif compiled %>
Status NodeReader::Get(const char* name, TensorValue* /*value*/, bool* /*found*/) const {
  return NotImplemented(std::string("tensor attribute '") + name + "': no operator here has one");
}
<% endif %>

}  // namespace <%= ns %>
