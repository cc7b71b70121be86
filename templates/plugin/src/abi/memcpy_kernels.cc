<%= banner %>
#include "abi/memcpy_kernels.h"

#include <memory>
<% if profiler %>
#include <utility>
<% endif %>
#include <vector>

#include "abi/bridge.h"
#include "abi/data_transfer.h"
#include "abi/guard.h"
#include "abi/handles.h"

namespace <%= ns %> {
namespace {

// `state` is the Api.
OrtStatus* ORT_API_CALL CreateMemcpyKernel(void* state, const OrtKernelInfo* info,
                                           OrtKernelImpl** kernel) noexcept {
  const auto& api = *static_cast<const Api*>(state);
  return GuardStatus(*api.ort, [&]() -> Status {
    *kernel = nullptr;
    const OrtEp* ep = nullptr;
    EP_ORT(api, ep->KernelInfo_GetEp(info, &ep));
<% if profiler %>
    std::string op;
    std::string node;
    EP_RETURN_IF_ERROR(ReadText(api, &op, api.ort->KernelInfo_GetOperatorType, info));
    EP_RETURN_IF_ERROR(ReadText(api, &node, api.ort->KernelInfo_GetNodeName, info));
    *kernel = std::make_unique<MemcpyKernel>(*static_cast<const Ep*>(ep), op, node).release();
<% else %>
    *kernel = std::make_unique<MemcpyKernel>(*static_cast<const Ep*>(ep)).release();
<% endif %>
    return Status();
  });
}

Status Add(const Api& api, const char* op, bool from_host, OrtKernelRegistry* registry) {
  std::vector<const OrtDataType*> types;
<% if small_types %>
  for (int32_t type = 1; type <= static_cast<int32_t>(DType::kFloat8e8m0); ++type) {
    if (BitsOf(static_cast<DType>(type)) == 0) continue;
    const OrtDataType* found = nullptr;
    const auto element = static_cast<ONNXTensorElementDataType>(type);
    const Status known = FromOrt(api, api.ep->GetTensorDataType(element, &found));
    if (known.ok()) types.push_back(found);  // else the runtime is older than the type
  }
<% else %>
  for (int32_t type = 1; type <= static_cast<int32_t>(DType::kBfloat16); ++type) {
    if (SizeOf(static_cast<DType>(type)) == 0) continue;
    types.push_back(nullptr);
    EP_ORT(api, ep->GetTensorDataType(static_cast<ONNXTensorElementDataType>(type), &types.back()));
  }
<% endif %>
  Handle<&OrtEpApi::ReleaseKernelDefBuilder> owner(*api.ep);
  EP_ORT(api, ep->CreateKernelDefBuilder(owner.out()));
  OrtKernelDefBuilder* builder = owner.get();
  EP_ORT(api, ep->KernelDefBuilder_SetDomain(builder, ""));
  EP_ORT(api, ep->KernelDefBuilder_SetOperatorType(builder, op));
  EP_ORT(api, ep->KernelDefBuilder_SetSinceVersion(builder, 1, 1));
  EP_ORT(api, ep->KernelDefBuilder_SetExecutionProvider(builder, <%= "api.identity->ep_name" if several else "kEpName" %>));
  EP_ORT(api, ep->KernelDefBuilder_AddTypeConstraint(builder, "T", types.data(), types.size()));
  if (from_host) {
    EP_ORT(api, ep->KernelDefBuilder_SetInputMemType(builder, 0, OrtMemTypeCPUInput));
  } else {
    EP_ORT(api, ep->KernelDefBuilder_SetOutputMemType(builder, 0, OrtMemTypeCPUOutput));
  }
  Handle<&OrtEpApi::ReleaseKernelDef> kernel(*api.ep);
  EP_ORT(api, ep->KernelDefBuilder_Build(builder, kernel.out()));
  return FromOrt(api, api.ep->KernelRegistry_AddKernel(registry, kernel.get(), CreateMemcpyKernel,
                                                       const_cast<Api*>(&api)));
}

}  // namespace

Status AddMemcpyKernels(const Api& api, OrtKernelRegistry* registry) {
  EP_RETURN_IF_ERROR(Add(api, "MemcpyFromHost", true, registry));
  return Add(api, "MemcpyToHost", false, registry);
}

<% if profiler %>
MemcpyKernel::MemcpyKernel(const Ep& ep, std::string op, std::string node)
    : OrtKernelImpl(Stamped<OrtKernelImpl>(ep.api())),
      ep_(ep),
      op_(std::move(op)),
      node_(std::move(node)) {
<% else %>
MemcpyKernel::MemcpyKernel(const Ep& ep)
    : OrtKernelImpl(Stamped<OrtKernelImpl>(ep.api())), ep_(ep) {
<% endif %>
  Compute = Callback<&MemcpyKernel::Execute>::Call;
  Release = Delete<MemcpyKernel>;
}

<% if graph_capture %>
Status MemcpyKernel::Execute(OrtKernelContext* context) {
  Status status = Attempt(context);
  if (ep_.capture() != nullptr) ep_.capture()->Note(status);
  return status;
}

Status MemcpyKernel::Attempt(OrtKernelContext* context) {
<% else %>
Status MemcpyKernel::Execute(OrtKernelContext* context) {
<% endif %>
<% if profiler %>
  const EventScope scope(ep_.events(), op_, node_);
<% endif %>
  const OrtValue* from = nullptr;
  EP_ORT(api(), ort->KernelContext_GetInput(context, 0, &from));
  Tensor tensor;
  EP_RETURN_IF_ERROR(ViewTensor(api(), from, &tensor));
  if (tensor.dtype == DType::kUndefined) return InvalidArgument("a copy between host and device: its input is missing");
  OrtValue* to = nullptr;
  EP_ORT(api(), ort->KernelContext_GetOutput(context, 0, tensor.shape.data(), tensor.shape.size(),
                                             &to));
<% if streams %>
  Stream stream = nullptr;
  EP_ORT(api(), ort->KernelContext_GetGPUComputeStream(context, &stream));
  Copies copies(ep_.factory());
  EP_RETURN_IF_ERROR(copies.Add(from, to, stream));
  return copies.Finish();
<% else %>
  return CopyValue(ep_.factory(), from, to);
<% endif %>
}

}  // namespace <%= ns %>
