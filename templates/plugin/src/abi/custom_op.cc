<%= banner %>
#include "abi/custom_op.h"

#include <memory>
#include <vector>

#include "abi/bridge.h"
#include "abi/custom_op_shapes.h"
#include "abi/guard.h"
#include "abi/handles.h"
#include "gen/api/signature.h"
#include "gen/kernel_table.h"

namespace <%= ns %> {
namespace {

// Makers of kernels that are not here.
Status MakeElsewhere(const Node& /*node*/, std::unique_ptr<Kernel>& /*kernel*/) {
  return NotImplemented("no execution provider of this session computes it");
}
Status MakeUnwritten(const Node& /*node*/, std::unique_ptr<Kernel>& /*kernel*/) {
  return NotImplemented(
      "its kernel is not written yet: write InferShapes and Compute in src/kernels, then set kReady "
      "in the header there to true");
}

ONNXTensorElementDataType TypeOf(const CustomParameter& parameter) {
  return static_cast<ONNXTensorElementDataType>(parameter.dtype);
}

OrtCustomOpInputOutputCharacteristic KindOf(const CustomParameter& parameter) {
  if (parameter.variadic) return INPUT_OUTPUT_VARIADIC;
  return parameter.optional ? INPUT_OUTPUT_OPTIONAL : INPUT_OUTPUT_REQUIRED;
}

// The element types of a node's inputs or outputs; kUndefined for one that was left out.
template <auto Count, auto Get>
Status ReadTypes(const Api& api, const OrtKernelInfo* info, std::vector<DType>* types) {
  size_t count = 0;
  EP_RETURN_IF_ERROR(FromOrt(api, (api.ort->*Count)(info, &count)));
  for (size_t i = 0; i < count; ++i) {
    Handle<&OrtApi::ReleaseTypeInfo> type(*api.ort);
    const OrtTensorTypeAndShapeInfo* tensor = nullptr;
    ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    // ORT has an error, not a null, for what was left out.
    if (FromOrt(api, (api.ort->*Get)(info, i, type.out())).ok()) {
      EP_ORT(api, ort->CastTypeInfoToTensorInfo(type.get(), &tensor));
      if (tensor != nullptr) EP_ORT(api, ort->GetTensorElementType(tensor, &element));
    }
    types->push_back(static_cast<DType>(element));
  }
  return Status();
}

Status CheckTypes(const Api& api, const KernelRow& row, const OrtKernelInfo* info) {
  std::vector<DType> inputs;
  std::vector<DType> outputs;
  EP_RETURN_IF_ERROR(
      (ReadTypes<&OrtApi::KernelInfo_GetInputCount, &OrtApi::KernelInfo_GetInputTypeInfo>(
          api, info, &inputs)));
  EP_RETURN_IF_ERROR(
      (ReadTypes<&OrtApi::KernelInfo_GetOutputCount, &OrtApi::KernelInfo_GetOutputTypeInfo>(
          api, info, &outputs)));
  return CheckSignature(row, inputs, outputs);
}

}  // namespace

<% if cuda_library %>
CustomOp::CustomOp(const Api& api, const CustomOpSchema& schema, bool on_stream)
<% else %>
CustomOp::CustomOp(const Api& api, const CustomOpSchema& schema)
<% endif %>
    : OrtCustomOp(Stamped<OrtCustomOp>(api)), schema_(schema) {
  const KernelRow* row = FindKernel(schema.domain, schema.op, schema.since);
  if (row != nullptr) row_ = *row;
  row_.domain = schema.domain;
  row_.op = schema.op;
  if (!schema.computed || row == nullptr) {
    row_.make = MakeElsewhere;
<% if cuda_library %>
  } else if (on_stream) {
    row_.make = schema.make_cuda;
<% endif %>
  } else if (!row->ready) {
    row_.make = MakeUnwritten;
  }
  entry_.api = &api;
  entry_.row = &row_;
<% if cuda_library %>
  entry_.on_stream = on_stream;
  if (on_stream) unknown_dims_ = uint64_t{1} << 32;  // names that its double for the CPU never gives
<% endif %>
  GetName = Callback<&CustomOp::Name>::Call;
  GetExecutionProviderType = Callback<&CustomOp::Provider>::Call;
  GetStartVersion = Callback<&CustomOp::SinceVersion>::Call;
  GetEndVersion = Callback<&CustomOp::SinceVersion>::Call;
  GetInputTypeCount = Callback<&CustomOp::InputCount>::Call;
  GetInputType = Callback<&CustomOp::InputType>::Call;
  GetInputCharacteristic = Callback<&CustomOp::InputKind>::Call;
  GetInputMemoryType = Callback<&CustomOp::InputMemory>::Call;
  GetVariadicInputMinArity = Callback<&CustomOp::Arity>::Call;
  GetVariadicInputHomogeneity = Callback<&CustomOp::Homogeneity>::Call;
  GetOutputTypeCount = Callback<&CustomOp::OutputCount>::Call;
  GetOutputType = Callback<&CustomOp::OutputType>::Call;
  GetOutputCharacteristic = Callback<&CustomOp::OutputKind>::Call;
  GetVariadicOutputMinArity = Callback<&CustomOp::Arity>::Call;
  GetVariadicOutputHomogeneity = Callback<&CustomOp::Homogeneity>::Call;
  InferOutputShapeFn = Callback<&CustomOp::InferShapes>::Call;
  // The older CreateKernel and KernelCompute stay null: they cannot say what went wrong.
  CreateKernelV2 = Callback<&CustomOp::MakeKernel>::Call;
  KernelComputeV2 = ComputeKernel;
  KernelDestroy = DestroyKernel;
}

const char* CustomOp::Provider() const {
<% if cuda_library %>
  if (entry_.on_stream) return "CUDAExecutionProvider";
<% endif %>
  return nullptr;  // the CPU's
}

ONNXTensorElementDataType CustomOp::InputType(size_t index) const {
  return TypeOf(schema_.inputs[index]);
}

ONNXTensorElementDataType CustomOp::OutputType(size_t index) const {
  return TypeOf(schema_.outputs[index]);
}

OrtCustomOpInputOutputCharacteristic CustomOp::InputKind(size_t index) const {
  return KindOf(schema_.inputs[index]);
}

OrtCustomOpInputOutputCharacteristic CustomOp::OutputKind(size_t index) const {
  return KindOf(schema_.outputs[index]);
}

OrtMemType CustomOp::InputMemory(size_t index) const {
  return HasBit(row_.host_inputs, index) ? OrtMemTypeCPUInput : OrtMemTypeDefault;
}

Status CustomOp::InferShapes(OrtShapeInferContext* context) const {
  return InferOutputs(api(), schema_, context, &unknown_dims_);
}

Status CustomOp::MakeKernel(const OrtApi* /*ort*/, const OrtKernelInfo* info,
                            void** kernel) const {
  *kernel = nullptr;
  auto made = std::make_unique<KernelAdapter>(entry_);
  EP_RETURN_IF_ERROR(made->Init(info));
  EP_RETURN_IF_ERROR(made->Located(CheckTypes(api(), row_, info)));
  *kernel = static_cast<OrtKernelImpl*>(made.release());
  return Status();
}

OrtStatus* CustomOp::ComputeKernel(void* kernel, OrtKernelContext* context) noexcept {
  auto* made = static_cast<OrtKernelImpl*>(kernel);
  return made->Compute(made, context);
}

void CustomOp::DestroyKernel(void* kernel) noexcept {
  auto* made = static_cast<OrtKernelImpl*>(kernel);
  if (made != nullptr) made->Release(made);
}

}  // namespace <%= ns %>
