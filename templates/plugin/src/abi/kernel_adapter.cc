<%= banner %>
#include "abi/kernel_adapter.h"

#include <utility>

#include "abi/guard.h"
#include "abi/kernel_exec.h"
#include "abi/kernel_registry.h"
#include "abi/status_bridge.h"
#include "abi/tensors.h"

namespace <%= ns %> {

OrtStatus* ORT_API_CALL CreateKernel(void* state, const OrtKernelInfo* info,
                                     OrtKernelImpl** kernel) noexcept {
  const auto& entry = *static_cast<const KernelEntry*>(state);
  return GuardStatus(*entry.api->ort, [&]() -> Status {
    *kernel = nullptr;
    const OrtEp* ep = nullptr;
    EP_RETURN_IF_ERROR(FromOrt(*entry.api, entry.api->ep->KernelInfo_GetEp(info, &ep)));
    auto made = std::make_unique<KernelAdapter>(*static_cast<const Ep*>(ep), *entry.row);
    EP_RETURN_IF_ERROR(made->Init(info));
    *kernel = made.release();
    return Status();
  });
}

KernelAdapter::KernelAdapter(const Ep& ep, const KernelRow& row)
    : OrtKernelImpl(Stamped<OrtKernelImpl>(ep.api())), ep_(ep), row_(row) {
  Compute = Callback<&KernelAdapter::Execute>::Call;
  Release = Delete<KernelAdapter>;
}

Status KernelAdapter::Init(const OrtKernelInfo* info) {
  KernelNode node(api(), info);
  EP_RETURN_IF_ERROR(node.Init());
  label_ = node.op() + " node '" + node.name() + "'";
  output_count_ = node.OutputCount();
  input_names_.resize(node.InputCount());
  for (size_t i = 0; i < input_names_.size(); ++i) {
    EP_RETURN_IF_ERROR(node.InputName(i, &input_names_[i]));
  }
  const Status made = row_.make(node, kernel_);
  return made.ok() ? Status() : Status(made.code(), label_ + ": " + made.message());
}

Status KernelAdapter::Execute(OrtKernelContext* context) {
  const Status ran = Run(context);
  return ran.ok() ? Status() : Status(ran.code(), label_ + ": " + ran.message());
}

Status KernelAdapter::Run(OrtKernelContext* context) const {
  const size_t input_count = input_names_.size();
  std::vector<Tensor> tensors(input_count);
  std::vector<const Tensor*> present(input_count);
  for (size_t i = 0; i < input_count; ++i) {
    bool is_there = false;
    EP_RETURN_IF_ERROR(FetchInput(context, i, &tensors[i], &is_there));
    if (is_there) present[i] = &tensors[i];
  }
  for (size_t i = 0; i < kMaskBits; ++i) {
    if (!HasBit(row_.needed_inputs, i) || (i < input_count && present[i] != nullptr)) continue;
    const std::string name = i < input_count ? " '" + input_names_[i] + "'" : "";
    return InvalidArgument("input " + std::to_string(i) + name + " is missing");
  }
  const Inputs inputs(present.data(), input_count);

  Shapes shapes(output_count_);
  EP_RETURN_IF_ERROR(kernel_->InferShapes(inputs, shapes));
  if (shapes.size() != output_count_) {
    return Failed("the kernel gave the shapes of " + std::to_string(shapes.size()) + " of " +
                  std::to_string(output_count_) + " outputs");
  }
  std::vector<MutableTensor> results(output_count_);
  std::vector<MutableTensor*> wanted(output_count_);
  bool all_empty = true;
  for (size_t i = 0; i < output_count_; ++i) {
    bool is_wanted = false;
    EP_RETURN_IF_ERROR(MakeOutput(context, i, shapes[i], &results[i], &is_wanted));
    if (!is_wanted) continue;
    wanted[i] = &results[i];
    if (results[i].size() != 0) all_empty = false;
  }
  if (all_empty) return Status();
  KernelExec exec(ep_, context);
  return kernel_->Compute(inputs, Outputs(wanted.data(), output_count_), exec);
}

Status KernelAdapter::FetchInput(const OrtKernelContext* context, size_t index, Tensor* tensor,
                                 bool* present) const {
  const OrtValue* value = nullptr;
  EP_RETURN_IF_ERROR(FromOrt(api(), api().ort->KernelContext_GetInput(context, index, &value)));
  EP_RETURN_IF_ERROR(ViewTensor(api(), value, tensor, present));
<% if device_memory %>
  if (!*present || HasBit(row_.host_inputs, index) || tensor->size() == 0) return Status();
  tensor->raw = ep_.factory().runtime().KernelAddress(const_cast<void*>(tensor->raw));
  if (tensor->raw == nullptr) {
    return Failed("input " + std::to_string(index) + " does not lie in the device's memory");
  }
<% endif %>
  return Status();
}

Status KernelAdapter::MakeOutput(OrtKernelContext* context, size_t index, const Shape& shape,
                                 MutableTensor* output, bool* wanted) const {
  OrtValue* value = nullptr;
  EP_RETURN_IF_ERROR(FromOrt(api(), api().ort->KernelContext_GetOutput(
                                        context, index, shape.data(), shape.size(), &value)));
  Tensor view;
  EP_RETURN_IF_ERROR(ViewTensor(api(), value, &view, wanted));
  if (!*wanted) return Status();
  output->raw = const_cast<void*>(view.raw);
  output->dtype = view.dtype;
  output->shape = shape;
<% if device_memory %>
  if (HasBit(row_.host_outputs, index) || output->size() == 0) return Status();
  output->raw = ep_.factory().runtime().KernelAddress(output->raw);
  if (output->raw == nullptr) {
    return Failed("output " + std::to_string(index) + " does not lie in the device's memory");
  }
<% endif %>
  return Status();
}

}  // namespace <%= ns %>
