<%= banner %>
#include "abi/custom_op_domains.h"

#include "abi/bridge.h"
#include "gen/custom_ops.h"

namespace <%= ns %> {

<% if cuda_library %>
Status CustomOpDomains::Init(bool with_cuda) {
<% else %>
Status CustomOpDomains::Init() {
<% endif %>
  const CustomOpTable table = CustomOps();
  for (size_t i = 0; i < table.count; ++i) {
    OrtCustomOpDomain* domain = nullptr;
    EP_RETURN_IF_ERROR(FindDomain(table.ops[i].domain, &domain));
    EP_RETURN_IF_ERROR(Add(std::make_unique<CustomOp>(api_, table.ops[i]), domain));
<% if cuda_library %>
    if (!with_cuda || table.ops[i].make_cuda == nullptr) continue;
    EP_RETURN_IF_ERROR(Add(std::make_unique<CustomOp>(api_, table.ops[i], true), domain));
<% endif %>
  }
  return Status();
}

Status CustomOpDomains::FindDomain(const char* name, OrtCustomOpDomain** found) {
  for (const auto& [known, domain] : domains_) {
    *found = domain.get();
    if (known == name) return Status();
  }
  Domain made(*api_.ort);
  EP_ORT(api_, ort->CreateCustomOpDomain(name, made.out()));
  *found = made.get();
  domains_.emplace_back(name, std::move(made));
  return Status();
}

Status CustomOpDomains::Add(std::unique_ptr<CustomOp> op, OrtCustomOpDomain* domain) {
  EP_ORT(api_, ort->CustomOpDomain_Add(domain, op.get()));
  ops_.push_back(std::move(op));
  return Status();
}

}  // namespace <%= ns %>
