<%= banner %>
#include "abi/kernel_adapter.h"

#include "abi/guard.h"
#include "abi/kernel_exec.h"
#include "abi/node_reader.h"
<% if streams %>
#include "gen/api/kernel_call.h"
<% endif %>

namespace <%= ns %> {

OrtStatus* ORT_API_CALL CreateKernel(void* entry, const OrtKernelInfo* info,
                                     OrtKernelImpl** kernel) noexcept {
  const auto& registered = *static_cast<const KernelEntry*>(entry);
  return GuardStatus(*registered.api->ort, [&]() -> Status {
    *kernel = nullptr;
    auto made = std::make_unique<KernelAdapter>(registered);
    EP_RETURN_IF_ERROR(made->Init(info));
    *kernel = made.release();
    return Status();
  });
}

KernelAdapter::KernelAdapter(const KernelEntry& entry)
    : OrtKernelImpl(Stamped<OrtKernelImpl>(*entry.api)), entry_(entry), row_(*entry.row) {
  Compute = Callback<&KernelAdapter::Execute>::Call;
  Release = Delete<KernelAdapter>;
<% if packing %>
  PrePackWeight = Callback<&KernelAdapter::PackInput>::Call;
  SetSharedPrePackedWeight = Callback<&KernelAdapter::ShareInput>::Call;
<% endif %>
}

Status KernelAdapter::Init(const OrtKernelInfo* info) {
  NodeReader node(api());
  EP_RETURN_IF_ERROR(node.Init(info));
  output_count_ = node.OutputCount();
  input_names_.resize(node.InputCount());
  for (size_t i = 0; i < input_names_.size(); ++i) {
    std::string& name = input_names_[i];
    EP_RETURN_IF_ERROR(ReadText(api(), &name, api().ort->KernelInfo_GetInputName, info, i));
    int is_constant = 0;
    const OrtValue* value = nullptr;
    EP_ORT(api(), ort->KernelInfoGetConstantInput_tensor(info, i, &is_constant, &value));
    if (is_constant != 0 && i < kMaskBits) constants_ |= uint64_t{1} << i;
  }
  std::string name;
  EP_RETURN_IF_ERROR(ReadText(api(), &name, api().ort->KernelInfo_GetNodeName, info));
  const std::string domain = row_.domain;
  label_ = (domain.empty() ? "" : domain + "::") + row_.op + " node '" + name + "': ";
<% if profiler %>
  op_ = row_.op;
  node_ = name;
<% endif %>
<% if streams %>
  std::unique_ptr<Kernel> made;
  EP_RETURN_IF_ERROR(Located(row_.make(node, made)));
  kernel_ = std::move(made);
  return Status();
<% else %>
  return Located(row_.make(node, kernel_));
<% endif %>
}

<% if graph_capture %>
KernelAdapter::~KernelAdapter() {
  if (capture_ != nullptr) capture_->RemoveKernel();
}

Status KernelAdapter::Capture(const OrtKernelInfo* info, std::shared_ptr<CapturedCalls> capture) {
  if (capture == nullptr) return Status();
  is_constant_.resize(input_names_.size());
  for (size_t i = 0; i < input_names_.size(); ++i) {
    int is_constant = 0;
    const OrtValue* value = nullptr;
    EP_ORT(api(), ort->KernelInfoGetConstantInput_tensor(info, i, &is_constant, &value));
    is_constant_[i] = is_constant != 0;
  }
  capture_ = std::move(capture);
  capture_->AddKernel();
  return Status();
}

Status KernelAdapter::Execute(OrtKernelContext* context) {
  Status status = Attempt(context);
  if (capture_ != nullptr) capture_->CountCall(status);
  return status;
}

Status KernelAdapter::Attempt(OrtKernelContext* context) {
<% else %>
Status KernelAdapter::Execute(OrtKernelContext* context) {
<% endif %>
<% if profiler %>
  const EventScope scope(events_, op_, node_);
<% endif %>
  const bool is_first = !is_taken_.test_and_set(std::memory_order_acquire);
  Frame other;  // for a run at the same time as the first
  const Status status = Run(context, is_first ? &frame_ : &other);
  if (is_first) is_taken_.clear(std::memory_order_release);  // after an exception it stays taken
  return Located(status);
}

Status KernelAdapter::Located(const Status& status) const {
  return status.ok() ? Status() : Status(status.code(), label_ + status.message());
}

<% if packing %>
Status KernelAdapter::PackInput(const OrtValue* constant, int input, OrtAllocator* allocator,
                                OrtSharedPrePackedWeightCache* cache, bool* is_packed) {
  *is_packed = false;
  const auto index = static_cast<size_t>(input);
  Tensor tensor;
  EP_RETURN_IF_ERROR(ViewTensor(api(), constant, &tensor));
  if (tensor.dtype == DType::kUndefined || allocator == nullptr) return Status();
  size_t size = kernel_->PackedSize(index, tensor);
  if (size == 0) return Status();
  Packed& packed = packed_[index];
  packed.memory = allocator->Alloc(allocator, size);
  if (packed.memory == nullptr) {
    return Located(Failed("no memory to pack input '" + input_names_[index] + "'"));
  }
  packed.allocator = allocator;
  kernel_->Pack(index, tensor, packed.memory);
  packed.tensor = tensor;
  packed.tensor.raw = nullptr;
  packed.tensor.packed = packed.memory;
  if (cache != nullptr) {  // ORT owns the memory, then
    EP_ORT(api(), ep->SharedPrePackedWeightCache_StoreWeightData(cache, &packed.memory, &size, 1));
    packed.allocator = nullptr;
  }
  *is_packed = true;
  return Status();
}

Status KernelAdapter::ShareInput(const void* const* packed, const size_t*, size_t count,
                                 int input) {
  const auto found = packed_.find(static_cast<size_t>(input));
  if (count != 1 || found == packed_.end()) {
    return Located(Failed("what is shared was not packed here"));
  }
  found->second.tensor.packed = packed[0];
  return Status();
}

<% endif %>
Status KernelAdapter::Run(OrtKernelContext* context, Frame* frame) const {
  const size_t count = input_names_.size();
  frame->tensors.resize(count);
  frame->inputs.resize(count);
  for (size_t i = 0; i < count; ++i) {
    Tensor& tensor = frame->tensors[i];
    if (HasBit(constants_, i) && tensor.dtype != DType::kUndefined) continue;  // as in the last run
<% if packing %>
    const auto packed = packed_.find(i);
    if (packed != packed_.end()) {
      frame->inputs[i] = &packed->second.tensor;
      continue;
    }
<% endif %>
    const OrtValue* value = nullptr;
    EP_ORT(api(), ort->KernelContext_GetInput(context, i, &value));
<% if device_memory %>
    EP_RETURN_IF_ERROR(View(value, HasBit(row_.host_inputs, i), &tensor));
<% else %>
    EP_RETURN_IF_ERROR(ViewTensor(api(), value, &tensor));
<% endif %>
<% if graph_capture %>
    const bool is_read = HasBit(row_.host_inputs, i) && tensor.dtype != DType::kUndefined;
    if (capture_ != nullptr && is_read && tensor.size() != 0 && !is_constant_[i]) {
      const Status same = capture_->CheckHostValue(tensor.raw);
      if (!same.ok()) {
        return Status(same.code(), "input '" + input_names_[i] + "' " + same.message());
      }
    }
<% endif %>
    frame->inputs[i] = tensor.dtype != DType::kUndefined ? &tensor : nullptr;
  }
  uint64_t needed = row_.needed_inputs;
  for (size_t i = 0; needed != 0; ++i, needed >>= 1) {
    if ((needed & 1) == 0 || (i < count && frame->inputs[i] != nullptr)) continue;
    const std::string name = i < count ? " '" + input_names_[i] + "'" : "";
    return InvalidArgument("input " + std::to_string(i) + name + " is missing");
  }
  const Inputs inputs(frame->inputs.data(), count);
  frame->shapes.resize(output_count_);
  for (Shape& shape : frame->shapes) shape.clear();
  EP_RETURN_IF_ERROR(kernel_->Infer(inputs, frame->shapes));
  if (frame->shapes.size() < output_count_) return Failed("the kernel does not know all its outputs");
  EP_RETURN_IF_ERROR(AllocateOutputs(context, frame));
  if (frame->is_empty) return Status();
  const Outputs outputs(frame->outputs.data(), output_count_);
<% if streams %>
  // Kernels that leave their results on the host read shapes, and nothing of the device's memory.
  if (entry_.runtime != nullptr && row_.host_outputs == 0) {
    return Queue(context, inputs, outputs);
  }
<% if graph_capture %>
  for (size_t i = 0; capture_ != nullptr && i < output_count_; ++i) {
    if (frame->outputs[i] != nullptr) capture_->AddHostValue(frame->outputs[i]->raw);
  }
<% endif %>
<% endif %>
<% if device_memory and not streams %>
  KernelExec exec(api(), context, entry_.runtime);
<% else %>
  KernelExec exec(api(), context);
<% endif %>
<% if cuda_library %>
  if (entry_.on_stream) EP_RETURN_IF_ERROR(exec.TakeStream());
<% endif %>
  return kernel_->Run(inputs, outputs, exec);
}

Status KernelAdapter::AllocateOutputs(OrtKernelContext* context, Frame* frame) const {
  frame->is_empty = true;
  frame->results.resize(output_count_);
  frame->outputs.resize(output_count_);
  for (size_t i = 0; i < output_count_; ++i) {
    OrtValue* value = nullptr;  // stays null when nobody wants this output
    MutableTensor& result = frame->results[i];
    Shape& shape = frame->shapes[i];
    EP_ORT(api(), ort->KernelContext_GetOutput(context, i, shape.data(), shape.size(), &value));
    frame->outputs[i] = value != nullptr ? &result : nullptr;
    if (value == nullptr) continue;
    if (result.dtype == DType::kUndefined) {  // the first run; later ones make the same type
      Tensor view;
      EP_RETURN_IF_ERROR(ViewTensor(api(), value, &view));
      result.dtype = view.dtype;
    }
    result.shape.swap(shape);
    EP_ORT(api(), ort->GetTensorMutableData(value, &result.raw));
    if (result.size() == 0) continue;
    frame->is_empty = false;
<% if device_memory %>
    if (entry_.runtime == nullptr || HasBit(row_.host_outputs, i)) continue;
<% if graph_capture %>
    if (capture_ != nullptr) capture_->AddMemory(result.raw);
<% endif %>
    result.raw = entry_.runtime->KernelAddress(result.raw);
    if (result.raw == nullptr) return Failed("a tensor is not in the device's memory");
<% endif %>
  }
  return Status();
}

<% if streams %>
Status KernelAdapter::Queue(OrtKernelContext* context, Inputs inputs, Outputs outputs) const {
  Stream stream = nullptr;  // where ORT has none, the work is done at once
  EP_ORT(api(), ort->KernelContext_GetGPUComputeStream(context, &stream));
<% if graph_capture %>
  if (capture_ != nullptr) EP_RETURN_IF_ERROR(capture_->CheckStream(stream));
<% endif %>
  const auto call = std::make_shared<KernelCall>(*kernel_, inputs.size(), outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    call->AddInput(inputs.at(i), HasBit(row_.host_inputs, i));
  }
  for (size_t i = 0; i < outputs.size(); ++i) call->AddOutput(outputs.at(i));
  // The node's name comes with the error, which is for somebody else to report.
  auto work = [call, kernel = kernel_, label = label_](Exec& exec) {
    const Status status = call->Run(exec);
    return status.ok() ? Status() : Status(status.code(), label + status.message());
  };
  return entry_.runtime->Launch(stream, std::move(work));
}

<% endif %>
<% if device_memory %>
Status KernelAdapter::View(const OrtValue* value, bool on_host, Tensor* tensor) const {
  EP_RETURN_IF_ERROR(ViewTensor(api(), value, tensor));
  const bool absent = tensor->dtype == DType::kUndefined;
  if (absent || on_host || entry_.runtime == nullptr || tensor->size() == 0) return Status();
<% if graph_capture %>
  if (capture_ != nullptr) capture_->AddMemory(tensor->raw);
<% endif %>
  tensor->raw = entry_.runtime->KernelAddress(tensor->raw);
  if (tensor->raw != nullptr) return Status();
  tensor->dtype = DType::kUndefined;  // nobody goes on with it
  return Failed("a tensor is not in the device's memory");
}
<% endif %>

}  // namespace <%= ns %>
