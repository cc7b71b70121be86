<%= banner %>
#pragma once

#include <onnxruntime_c_api.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "abi/api.h"
#include "gen/identity.h"

// A made-up runtime for custom operators: domains, nodes whose shapes are inferred, and nodes that
// kernels are made for.
namespace <%= ns %>::test {

struct FakeStatus {
  OrtErrorCode code;
  std::string text;
};
struct FakeDomain {
  std::string name;
  std::vector<const OrtCustomOp*> ops;
};
struct FakeShape {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::vector<int64_t> sizes;
  std::vector<std::string> symbols;
};
// A node while shapes are inferred. It has no attributes.
struct FakeNode {
  std::vector<FakeShape> inputs;
  std::map<size_t, FakeShape> outputs;
};
struct Runtime {
  std::string version = "1." + std::to_string(kTargetApi) + ".0";
  int live = 0;                        // objects that the runtime made and has not got back
  int domains_until_failure = -1;      // this many can be made; -1: any number
  bool adds = true;                    // whether session options take domains
  std::vector<FakeDomain*> added;      // to session options
  void* stream = nullptr;
  ONNXTensorElementDataType kernel_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t kernel_inputs = 0;
};
inline Runtime fake;
inline OrtApi ort_table{};
inline OrtEpApi ep_table{};

inline OrtStatus* MakeStatus(OrtErrorCode code, const char* text) noexcept {
  ++fake.live;
  return reinterpret_cast<OrtStatus*>(new FakeStatus{code, text});
}
inline OrtStatus* NoAttribute() noexcept {
  return MakeStatus(ORT_FAIL, "there is no such attribute");
}

// The text of a status, which is given back; empty for success.
inline std::string Take(OrtStatus* status) {
  if (status == nullptr) return "";
  const std::string text = reinterpret_cast<FakeStatus*>(status)->text;
  ort_table.ReleaseStatus(status);
  return text;
}

inline void FillStatuses() {
  ort_table.CreateStatus = MakeStatus;
  ort_table.GetErrorCode = [](const OrtStatus* status) noexcept {
    return reinterpret_cast<const FakeStatus*>(status)->code;
  };
  ort_table.GetErrorMessage = [](const OrtStatus* status) noexcept {
    return reinterpret_cast<const FakeStatus*>(status)->text.c_str();
  };
  ort_table.ReleaseStatus = [](OrtStatus* status) {
    if (status != nullptr) --fake.live;
    delete reinterpret_cast<FakeStatus*>(status);
  };
  ort_table.GetEpApi = []() noexcept -> const OrtEpApi* { return &ep_table; };
}

inline void FillDomains() {
  ort_table.CreateCustomOpDomain = [](const char* name, OrtCustomOpDomain** domain) noexcept {
    if (fake.domains_until_failure == 0) return MakeStatus(ORT_FAIL, "no more domains");
    if (fake.domains_until_failure > 0) --fake.domains_until_failure;
    ++fake.live;
    *domain = reinterpret_cast<OrtCustomOpDomain*>(new FakeDomain{name, {}});
    return static_cast<OrtStatus*>(nullptr);
  };
  ort_table.ReleaseCustomOpDomain = [](OrtCustomOpDomain* domain) {
    if (domain != nullptr) --fake.live;
    delete reinterpret_cast<FakeDomain*>(domain);
  };
  ort_table.CustomOpDomain_Add = [](OrtCustomOpDomain* domain,
                                    const OrtCustomOp* op) noexcept -> OrtStatus* {
    reinterpret_cast<FakeDomain*>(domain)->ops.push_back(op);
    return nullptr;
  };
  ort_table.AddCustomOpDomain = [](OrtSessionOptions*, OrtCustomOpDomain* domain) noexcept {
    if (!fake.adds) return MakeStatus(ORT_FAIL, "this domain is there already");
    fake.added.push_back(reinterpret_cast<FakeDomain*>(domain));
    return static_cast<OrtStatus*>(nullptr);
  };
}

inline const FakeShape& Shape(const OrtTensorTypeAndShapeInfo* info) {
  return *reinterpret_cast<const FakeShape*>(info);
}
inline FakeShape& Shape(OrtTensorTypeAndShapeInfo* info) { return *reinterpret_cast<FakeShape*>(info); }

inline void FillShapes() {
  ort_table.ShapeInferContext_GetInputCount = [](const OrtShapeInferContext* context,
                                                 size_t* count) noexcept -> OrtStatus* {
    *count = reinterpret_cast<const FakeNode*>(context)->inputs.size();
    return nullptr;
  };
  ort_table.ShapeInferContext_GetInputTypeShape =
      [](const OrtShapeInferContext* context, size_t index,
         OrtTensorTypeAndShapeInfo** info) noexcept -> OrtStatus* {
    // The context's own: whoever releases it is found out.
    const FakeShape& input = reinterpret_cast<const FakeNode*>(context)->inputs[index];
    *info = reinterpret_cast<OrtTensorTypeAndShapeInfo*>(const_cast<FakeShape*>(&input));
    return nullptr;
  };
  ort_table.ShapeInferContext_GetAttribute = [](const OrtShapeInferContext*, const char*,
                                                const OrtOpAttr**) noexcept {
    return NoAttribute();
  };
  ort_table.ShapeInferContext_SetOutputTypeShape =
      [](const OrtShapeInferContext* context, size_t index,
         const OrtTensorTypeAndShapeInfo* info) noexcept -> OrtStatus* {
    auto* node = reinterpret_cast<FakeNode*>(const_cast<OrtShapeInferContext*>(context));
    node->outputs[index] = Shape(info);
    return nullptr;
  };
  ort_table.CreateTensorTypeAndShapeInfo =
      [](OrtTensorTypeAndShapeInfo** info) noexcept -> OrtStatus* {
    ++fake.live;
    *info = reinterpret_cast<OrtTensorTypeAndShapeInfo*>(new FakeShape);
    return nullptr;
  };
  ort_table.ReleaseTensorTypeAndShapeInfo = [](OrtTensorTypeAndShapeInfo* info) {
    --fake.live;
    delete &Shape(info);
  };
  ort_table.SetTensorElementType = [](OrtTensorTypeAndShapeInfo* info,
                                      ONNXTensorElementDataType type) noexcept -> OrtStatus* {
    Shape(info).type = type;
    return nullptr;
  };
  ort_table.SetDimensions = [](OrtTensorTypeAndShapeInfo* info, const int64_t* sizes,
                               size_t count) noexcept -> OrtStatus* {
    Shape(info).sizes.assign(sizes, sizes + count);
    return nullptr;
  };
  ort_table.SetSymbolicDimensions = [](OrtTensorTypeAndShapeInfo* info, const char** symbols,
                                       size_t count) noexcept -> OrtStatus* {
    Shape(info).symbols.assign(symbols, symbols + count);
    return nullptr;
  };
  ort_table.GetTensorElementType = [](const OrtTensorTypeAndShapeInfo* info,
                                      ONNXTensorElementDataType* type) noexcept -> OrtStatus* {
    *type = Shape(info).type;
    return nullptr;
  };
  ort_table.GetDimensionsCount = [](const OrtTensorTypeAndShapeInfo* info,
                                    size_t* count) noexcept -> OrtStatus* {
    *count = Shape(info).sizes.size();
    return nullptr;
  };
  ort_table.GetDimensions = [](const OrtTensorTypeAndShapeInfo* info, int64_t* sizes,
                               size_t count) noexcept -> OrtStatus* {
    std::copy_n(Shape(info).sizes.begin(), count, sizes);
    return nullptr;
  };
  ort_table.GetSymbolicDimensions = [](const OrtTensorTypeAndShapeInfo* info,
                                       const char** symbols, size_t count) noexcept -> OrtStatus* {
    for (size_t i = 0; i < count; ++i) symbols[i] = Shape(info).symbols[i].c_str();
    return nullptr;
  };
}

// A node that a kernel is made for.
inline const OrtKernelInfo* Info() { return reinterpret_cast<const OrtKernelInfo*>(&fake); }

// It is called n0, has no attributes, and inputs of one type.
inline void FillKernelInfo() {
  ort_table.KernelInfo_GetOperatorSinceVersion = [](const OrtKernelInfo*,
                                                    int* since) noexcept -> OrtStatus* {
    *since = 1;
    return nullptr;
  };
  ort_table.KernelInfo_GetInputCount = [](const OrtKernelInfo*,
                                          size_t* count) noexcept -> OrtStatus* {
    *count = fake.kernel_inputs;
    return nullptr;
  };
  ort_table.KernelInfo_GetOutputCount = [](const OrtKernelInfo*,
                                           size_t* count) noexcept -> OrtStatus* {
    *count = 0;
    return nullptr;
  };
  ort_table.KernelInfo_GetInputName = [](const OrtKernelInfo*, size_t, char* text,
                                         size_t* size) noexcept -> OrtStatus* {
    if (text != nullptr) std::memcpy(text, "i", 2);
    *size = 2;
    return nullptr;
  };
  ort_table.KernelInfoGetConstantInput_tensor =
      [](const OrtKernelInfo*, size_t, int* is_constant,
         const OrtValue** /*value*/) noexcept -> OrtStatus* {
    *is_constant = 0;
    return nullptr;
  };
  ort_table.KernelInfo_GetNodeName = [](const OrtKernelInfo*, char* text,
                                        size_t* size) noexcept -> OrtStatus* {
    if (text != nullptr) std::memcpy(text, "n0", 3);
    *size = 3;
    return nullptr;
  };
  ort_table.KernelInfo_GetInputTypeInfo = [](const OrtKernelInfo*, size_t,
                                             OrtTypeInfo** info) noexcept -> OrtStatus* {
    ++fake.live;
    *info = reinterpret_cast<OrtTypeInfo*>(new FakeShape{fake.kernel_type, {}, {}});
    return nullptr;
  };
  ort_table.ReleaseTypeInfo = [](OrtTypeInfo* info) {
    if (info != nullptr) --fake.live;
    delete reinterpret_cast<FakeShape*>(info);
  };
  ort_table.CastTypeInfoToTensorInfo =
      [](const OrtTypeInfo* info, const OrtTensorTypeAndShapeInfo** tensor) noexcept -> OrtStatus* {
    *tensor = reinterpret_cast<const OrtTensorTypeAndShapeInfo*>(info);
    return nullptr;
  };
  ort_table.KernelInfoGetAttribute_int64 = [](const OrtKernelInfo*, const char*,
                                              int64_t*) noexcept { return NoAttribute(); };
  ort_table.KernelInfoGetAttribute_float = [](const OrtKernelInfo*, const char*, float*) noexcept {
    return NoAttribute();
  };
  ort_table.KernelInfoGetAttribute_string = [](const OrtKernelInfo*, const char*, char*,
                                               size_t*) noexcept { return NoAttribute(); };
  ort_table.KernelInfoGetAttributeArray_int64 = [](const OrtKernelInfo*, const char*, int64_t*,
                                                   size_t*) noexcept { return NoAttribute(); };
  ort_table.KernelInfoGetAttributeArray_float = [](const OrtKernelInfo*, const char*, float*,
                                                   size_t*) noexcept { return NoAttribute(); };
<% if tensor_attributes or strings_attributes %>
  ort_table.GetAllocatorWithDefaultOptions = [](OrtAllocator** allocator) noexcept -> OrtStatus* {
    *allocator = nullptr;
    return nullptr;
  };
<% endif %>
<% if tensor_attributes %>
  ort_table.KernelInfoGetAttribute_tensor = [](const OrtKernelInfo*, const char*, OrtAllocator*,
                                               OrtValue**) noexcept { return NoAttribute(); };
<% endif %>
<% if strings_attributes and target >= 25 %>
  ort_table.KernelInfoGetAttributeArray_string = [](const OrtKernelInfo*, const char*,
                                                    OrtAllocator*, char***, size_t*) noexcept {
    return NoAttribute();
  };
<% endif %>
}

inline const OrtApiBase* Base() {
  static const OrtApiBase base = {
      [](uint32_t) noexcept -> const OrtApi* { return &ort_table; },
      []() noexcept { return fake.version.c_str(); }};
  return &base;
}

inline Api TestApi() {
  Api api;
  api.ort = &ort_table;
  api.ep = &ep_table;
  api.level = 25;
  return api;
}

// All of it.
inline void FillRuntime() {
  FillStatuses();
  FillDomains();
  FillShapes();
  FillKernelInfo();
}

}  // namespace <%= ns %>::test
