<%= banner %>
#include "abi/kernel_registry.h"

<% if custom_ops %>
#include <string>

<% endif %>
#include "abi/bridge.h"
<% if control_flow %>
#include "abi/control_flow.h"
<% endif %>
<% if graph_capture %>
#include "abi/graph_capture.h"
<% endif %>
<% if device_memory %>
#include "abi/memcpy_kernels.h"
<% endif %>
<% if profiler %>
#include "abi/profiler.h"
<% endif %>
<% if custom_ops %>
#include "gen/api/signature.h"
#include "gen/custom_ops.h"
<% endif %>
#include "gen/kernel_table.h"

namespace <%= ns %> {

Status Registry::Init() {
  EP_ORT(api_, ep->CreateKernelRegistry(registry_.out()));
  const KernelTable table = Kernels();
<% if control_flow %>
  const KernelTable control_flow = ControlFlow();
  entries_.reserve(table.count + control_flow.count);
<% else %>
  entries_.reserve(table.count);
<% endif %>
  for (size_t i = 0; i < table.count; ++i) {
<% if compiled %>
    if (!table.rows[i].registered) continue;
<% endif %>
    if (table.rows[i].ready) EP_RETURN_IF_ERROR(Add(table.rows[i]<% if control_flow %>, <% if profiler %>CreateProfiledKernel<% elif graph_capture %>CreateCapturedKernel<% else %>CreateKernel<% endif %><% endif %>));
  }
<% if control_flow %>
  for (size_t i = 0; i < control_flow.count; ++i) {
    EP_RETURN_IF_ERROR(Add(control_flow.rows[i], FindMaker(control_flow.rows[i])));
  }
<% endif %>
<% if device_memory %>
  return AddMemcpyKernels(api_, registry_.get());
<% else %>
  return Status();
<% endif %>
}

Status Registry::Add(const KernelRow& row<% if control_flow %>, OrtKernelCreateFunc create<% endif %>) {
  Handle<&OrtEpApi::ReleaseKernelDefBuilder> owner(*api_.ep);
  EP_ORT(api_, ep->CreateKernelDefBuilder(owner.out()));
  OrtKernelDefBuilder* builder = owner.get();
  EP_ORT(api_, ep->KernelDefBuilder_SetDomain(builder, row.domain));
  EP_ORT(api_, ep->KernelDefBuilder_SetOperatorType(builder, row.op));
  // ORT matches the version that a schema begins with, so each one has a row.
  EP_ORT(api_, ep->KernelDefBuilder_SetSinceVersion(builder, row.since, row.since));
  EP_ORT(api_, ep->KernelDefBuilder_SetExecutionProvider(builder, <%= "api_.identity->ep_name" if several else "kEpName" %>));
<% if custom_ops %>
  EP_RETURN_IF_ERROR(AddTypes(row, builder));
<% else %>
  for (size_t i = 0; i < row.rule_count; ++i) {
    const TypeRule& rule = row.rules[i];
<% if masks %>
    if (*rule.constraint == '\0') continue;  // a fixed type: the schema says it all
<% endif %>
<% if small_types %>
    std::vector<const OrtDataType*> types;
    for (size_t j = 0; j < rule.count; ++j) {
      const auto element = static_cast<ONNXTensorElementDataType>(rule.types[j]);
      const OrtDataType* type = nullptr;
      const Status known = FromOrt(api_, api_.ep->GetTensorDataType(element, &type));
      if (known.ok()) types.push_back(type);  // else the runtime is older than the type
    }
    if (types.empty()) return Status();
<% else %>
    std::vector<const OrtDataType*> types(rule.count);
    for (size_t j = 0; j < rule.count; ++j) {
      const auto element = static_cast<ONNXTensorElementDataType>(rule.types[j]);
      EP_ORT(api_, ep->GetTensorDataType(element, &types[j]));
    }
<% endif %>
    EP_ORT(api_, ep->KernelDefBuilder_AddTypeConstraint(builder, rule.constraint, types.data(),
                                                        types.size()));
  }
<% endif %>
<% if device_memory %>
  for (size_t i = 0; i < kMaskBits; ++i) {
    if (HasBit(row.host_inputs, i)) {
      EP_ORT(api_, ep->KernelDefBuilder_SetInputMemType(builder, i, OrtMemTypeCPUInput));
    }
    if (HasBit(row.host_outputs, i)) {
      EP_ORT(api_, ep->KernelDefBuilder_SetOutputMemType(builder, i, OrtMemTypeCPUOutput));
    }
  }
<% endif %>
  Handle<&OrtEpApi::ReleaseKernelDef> kernel(*api_.ep);
  EP_ORT(api_, ep->KernelDefBuilder_Build(builder, kernel.out()));
<% if device_memory %>
  entries_.push_back({&api_, &row, &runtime_<% if cuda_library %>, false<% endif %>});
<% else %>
  entries_.push_back({&api_, &row<% if cuda_library %>, false<% endif %>});
<% endif %>
  return FromOrt(api_, api_.ep->KernelRegistry_AddKernel(registry_.get(), kernel.get(),
                                                         <% if control_flow %>create<% elif profiler %>CreateProfiledKernel<% elif graph_capture %>CreateCapturedKernel<% else %>CreateKernel<% endif %>, &entries_.back()));
}
<% if custom_ops %>

Status Registry::AddTypes(const KernelRow& row, OrtKernelDefBuilder* builder) const {
  const CustomOpSchema* custom = FindCustomOp(row);
  for (size_t i = 0; i < row.rule_count; ++i) {
    const TypeRule& rule = row.rules[i];
    if (custom == nullptr) {
      if (*rule.constraint == '\0') continue;  // a fixed type: the schema says it all
      EP_RETURN_IF_ERROR(AddTypes(rule, rule.constraint, builder));
      continue;
    }
    // The schema that ORT makes of a custom op has a constraint for each position.
    for (size_t input = 0; input < custom->input_count; ++input) {
      if (!Names(rule.inputs, input)) continue;
      EP_RETURN_IF_ERROR(AddTypes(rule, ("Input" + std::to_string(input)).c_str(), builder));
    }
    for (size_t output = 0; output < custom->output_count; ++output) {
      if (!Names(rule.outputs, output)) continue;
      EP_RETURN_IF_ERROR(AddTypes(rule, ("Output" + std::to_string(output)).c_str(), builder));
    }
  }
  return Status();
}

Status Registry::AddTypes(const TypeRule& rule, const char* constraint,
                          OrtKernelDefBuilder* builder) const {
  std::vector<const OrtDataType*> types(rule.count);
  for (size_t i = 0; i < rule.count; ++i) {
    const auto element = static_cast<ONNXTensorElementDataType>(rule.types[i]);
    EP_ORT(api_, ep->GetTensorDataType(element, &types[i]));
  }
  return FromOrt(api_, api_.ep->KernelDefBuilder_AddTypeConstraint(builder, constraint,
                                                                   types.data(), types.size()));
}
<% endif %>

}  // namespace <%= ns %>
