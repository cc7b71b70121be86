<%= banner %>
#include "abi/kernel_registry.h"

#include "abi/kernel_adapter.h"
<% if device_memory %>
#include "abi/memcpy_kernels.h"
<% endif %>
#include "abi/status_bridge.h"
#include "gen/kernel_table.h"

namespace <%= ns %> {

const KernelRow* FindKernel(const std::string& domain, const std::string& op, int since) noexcept {
  const KernelTable table = Kernels();
  for (size_t i = 0; i < table.count; ++i) {
    const KernelRow& row = table.rows[i];
    if (row.since == since && op == row.op && domain == row.domain) return &row;
  }
  return nullptr;
}

Status Registry::Init() {
  EP_RETURN_IF_ERROR(FromOrt(api_, api_.ep->CreateKernelRegistry(registry_.out())));
  const KernelTable table = Kernels();
  entries_.reserve(table.count);
  for (size_t i = 0; i < table.count; ++i) {
    if (table.rows[i].ready) EP_RETURN_IF_ERROR(Add(table.rows[i]));
  }
<% if device_memory %>
  return AddMemcpyKernels(api_, registry_.get());
<% else %>
  return Status();
<% endif %>
}

Status Registry::Add(const KernelRow& row) {
  const OrtEpApi& ep = *api_.ep;
  KernelDefBuilder owner(ep);
  EP_RETURN_IF_ERROR(FromOrt(api_, ep.CreateKernelDefBuilder(owner.out())));
  OrtKernelDefBuilder* builder = owner.get();
  EP_RETURN_IF_ERROR(FromOrt(api_, ep.KernelDefBuilder_SetDomain(builder, row.domain)));
  EP_RETURN_IF_ERROR(FromOrt(api_, ep.KernelDefBuilder_SetOperatorType(builder, row.op)));
  EP_RETURN_IF_ERROR(
      FromOrt(api_, ep.KernelDefBuilder_SetSinceVersion(builder, row.since, row.since)));
  EP_RETURN_IF_ERROR(FromOrt(api_, ep.KernelDefBuilder_SetExecutionProvider(builder, kEpName)));
  for (size_t i = 0; i < row.rule_count; ++i) EP_RETURN_IF_ERROR(AddTypes(row.rules[i], builder));
<% if device_memory %>
  for (size_t i = 0; i < kMaskBits; ++i) {
    if (HasBit(row.host_inputs, i)) {
      EP_RETURN_IF_ERROR(
          FromOrt(api_, ep.KernelDefBuilder_SetInputMemType(builder, i, OrtMemTypeCPUInput)));
    }
    if (HasBit(row.host_outputs, i)) {
      EP_RETURN_IF_ERROR(
          FromOrt(api_, ep.KernelDefBuilder_SetOutputMemType(builder, i, OrtMemTypeCPUOutput)));
    }
  }
<% endif %>
  KernelDef def(ep);
  EP_RETURN_IF_ERROR(FromOrt(api_, ep.KernelDefBuilder_Build(builder, def.out())));
  entries_.push_back({&api_, &row});
  return FromOrt(api_, ep.KernelRegistry_AddKernel(registry_.get(), def.get(), CreateKernel,
                                                   &entries_.back()));
}

Status Registry::AddTypes(const TypeRule& rule, OrtKernelDefBuilder* builder) const {
  std::vector<const OrtDataType*> types(rule.count);
  for (size_t i = 0; i < rule.count; ++i) {
    const auto element = static_cast<ONNXTensorElementDataType>(rule.types[i]);
    EP_RETURN_IF_ERROR(FromOrt(api_, api_.ep->GetTensorDataType(element, &types[i])));
  }
  return FromOrt(api_, api_.ep->KernelDefBuilder_AddTypeConstraint(builder, rule.constraint,
                                                                   types.data(), types.size()));
}

}  // namespace <%= ns %>
