<%= banner %>
#include "abi/kernel_adapter.h"

#include "abi/guard.h"
#include "abi/kernel_exec.h"
#include "abi/node_reader.h"

namespace <%= ns %> {
namespace {

// A text that `call` writes with its terminator, once it has been asked for the size.
template <class Function, class... Args>
Status ReadText(const Api& api, std::string* text, Function call, Args... args) {
  size_t size = 0;
  EP_RETURN_IF_ERROR(FromOrt(api, call(args..., nullptr, &size)));
  std::string buffer(size, '\0');
  EP_RETURN_IF_ERROR(FromOrt(api, call(args..., buffer.data(), &size)));
  *text = buffer.c_str();
  return Status();
}

}  // namespace

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
}

Status KernelAdapter::Init(const OrtKernelInfo* info) {
  NodeReader node(api());
  EP_RETURN_IF_ERROR(node.Init(info));
  output_count_ = node.OutputCount();
  input_names_.resize(node.InputCount());
  for (size_t i = 0; i < input_names_.size(); ++i) {
    std::string& name = input_names_[i];
    EP_RETURN_IF_ERROR(ReadText(api(), &name, api().ort->KernelInfo_GetInputName, info, i));
  }
  std::string name;
  EP_RETURN_IF_ERROR(ReadText(api(), &name, api().ort->KernelInfo_GetNodeName, info));
  const std::string domain = row_.domain;
  label_ = (domain.empty() ? "" : domain + "::") + row_.op + " node '" + name + "': ";
  return Located(row_.make(node, kernel_));
}

Status KernelAdapter::Execute(OrtKernelContext* context) { return Located(Run(context)); }

Status KernelAdapter::Located(const Status& status) const {
  return status.ok() ? Status() : Status(status.code(), label_ + status.message());
}

Status KernelAdapter::Run(OrtKernelContext* context) const {
  const size_t count = input_names_.size();
  std::vector<Tensor> tensors(count);
  std::vector<const Tensor*> present(count);
  for (size_t i = 0; i < count; ++i) {
    const OrtValue* value = nullptr;
    EP_ORT(api(), ort->KernelContext_GetInput(context, i, &value));
<% if device_memory %>
    EP_RETURN_IF_ERROR(View(value, HasBit(row_.host_inputs, i), &tensors[i]));
<% else %>
    EP_RETURN_IF_ERROR(ViewTensor(api(), value, &tensors[i]));
<% endif %>
    if (tensors[i].dtype != DType::kUndefined) present[i] = &tensors[i];
  }
  for (size_t i = 0; i < kMaskBits; ++i) {
    if (!HasBit(row_.needed_inputs, i) || (i < count && present[i] != nullptr)) continue;
    const std::string name = i < count ? " '" + input_names_[i] + "'" : "";
    return InvalidArgument("input " + std::to_string(i) + name + " is missing");
  }
  const Inputs inputs(present.data(), count);
  Shapes shapes(output_count_);
  EP_RETURN_IF_ERROR(kernel_->InferShapes(inputs, shapes));
  if (shapes.size() < output_count_) return Failed("the kernel does not know all its outputs");

  std::vector<MutableTensor> results(output_count_);
  std::vector<MutableTensor*> wanted(output_count_);
  bool all_empty = true;
  for (size_t i = 0; i < output_count_; ++i) {
    OrtValue* value = nullptr;  // stays null when nobody wants this output
    Tensor view;
    const Shape& shape = shapes[i];
    EP_ORT(api(), ort->KernelContext_GetOutput(context, i, shape.data(), shape.size(), &value));
<% if device_memory %>
    EP_RETURN_IF_ERROR(View(value, HasBit(row_.host_outputs, i), &view));
<% else %>
    EP_RETURN_IF_ERROR(ViewTensor(api(), value, &view));
<% endif %>
    if (view.dtype == DType::kUndefined) continue;
    results[i] = {const_cast<void*>(view.raw), view.dtype, shape};
    wanted[i] = &results[i];
    if (results[i].size() != 0) all_empty = false;
  }
  if (all_empty) return Status();
<% if device_memory %>
  KernelExec exec(api(), context, entry_.runtime);
<% else %>
  KernelExec exec(api(), context);
<% endif %>
<% if cuda_library %>
  if (entry_.on_stream) EP_RETURN_IF_ERROR(exec.TakeStream());
<% endif %>
  return kernel_->Compute(inputs, Outputs(wanted.data(), output_count_), exec);
}

<% if device_memory %>
Status KernelAdapter::View(const OrtValue* value, bool on_host, Tensor* tensor) const {
  EP_RETURN_IF_ERROR(ViewTensor(api(), value, tensor));
  const bool absent = tensor->dtype == DType::kUndefined;
  if (absent || on_host || entry_.runtime == nullptr || tensor->size() == 0) return Status();
  tensor->raw = entry_.runtime->KernelAddress(tensor->raw);
  return tensor->raw != nullptr ? Status() : Failed("a tensor is not in the device's memory");
}
<% endif %>

}  // namespace <%= ns %>
