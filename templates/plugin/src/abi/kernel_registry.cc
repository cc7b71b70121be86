<%= banner %>
#include "abi/kernel_registry.h"

#include "abi/kernel_adapter.h"
<% if device_memory %>
#include "abi/memcpy_kernels.h"
<% endif %>
#include "abi/bridge.h"
#include "gen/kernel_table.h"

namespace <%= ns %> {

Status Registry::Init() {
  EP_ORT(api_, ep->CreateKernelRegistry(registry_.out()));
  const KernelTable table = Kernels();
  entries_.reserve(table.count);
  for (size_t i = 0; i < table.count; ++i) {
<% if compiled %>
    if (!table.rows[i].registered) continue;
<% endif %>
    if (table.rows[i].ready) EP_RETURN_IF_ERROR(Add(table.rows[i]));
  }
<% if device_memory %>
  return AddMemcpyKernels(api_, registry_.get());
<% else %>
  return Status();
<% endif %>
}

Status Registry::Add(const KernelRow& row) {
  Handle<&OrtEpApi::ReleaseKernelDefBuilder> owner(*api_.ep);
  EP_ORT(api_, ep->CreateKernelDefBuilder(owner.out()));
  OrtKernelDefBuilder* builder = owner.get();
  EP_ORT(api_, ep->KernelDefBuilder_SetDomain(builder, row.domain));
  EP_ORT(api_, ep->KernelDefBuilder_SetOperatorType(builder, row.op));
  // ORT matches the version that a schema begins with, so each one has a row.
  EP_ORT(api_, ep->KernelDefBuilder_SetSinceVersion(builder, row.since, row.since));
  EP_ORT(api_, ep->KernelDefBuilder_SetExecutionProvider(builder, kEpName));
  for (size_t i = 0; i < row.rule_count; ++i) {
    const TypeRule& rule = row.rules[i];
<% if compiled %>
    if (*rule.constraint == '\0') continue;  // a fixed type: the schema says it all
<% endif %>
    std::vector<const OrtDataType*> types(rule.count);
    for (size_t j = 0; j < rule.count; ++j) {
      const auto element = static_cast<ONNXTensorElementDataType>(rule.types[j]);
      EP_ORT(api_, ep->GetTensorDataType(element, &types[j]));
    }
    EP_ORT(api_, ep->KernelDefBuilder_AddTypeConstraint(builder, rule.constraint, types.data(),
                                                        types.size()));
  }
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
  entries_.push_back({&api_, &row});
  return FromOrt(api_, api_.ep->KernelRegistry_AddKernel(registry_.get(), kernel.get(),
                                                         CreateKernel, &entries_.back()));
}

}  // namespace <%= ns %>
