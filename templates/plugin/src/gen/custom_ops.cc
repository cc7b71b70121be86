<%= banner %>
#include "gen/custom_ops.h"

#include <cstring>
<% if cuda_library %>

#ifdef EP_CUSTOM_OPS_CUDA
<% for header in cuda_headers %>
#include "<%= header %>"
<% endfor %>
#endif
<% endif %>

namespace <%= ns %> {
namespace {

<% if cuda_library %>
#ifdef EP_CUSTOM_OPS_CUDA
#define EP_MAKE_CUDA(ready, attrs) (cuda::ready ? &KernelOf<cuda::attrs>::Make : nullptr)
#else
#define EP_MAKE_CUDA(ready, attrs) nullptr
#endif

<% endif %>
// Name, type variable, type; optional; variadic.
<% for list in parameters %>
constexpr CustomParameter <%= list.name %>[] = {
<% for p in list.entries %>
    {<%= p.name | cpp_string %>, <%= p.constraint | cpp_string %>, DType::<%= p.dtype %>, <%= p.optional | cpp_bool %>, <%= p.variadic | cpp_bool %>},
<% endfor %>
};
<% endfor %>

// Domain, op, version; inputs; outputs; elementwise; computed here<% if cuda_library %>; maker of CUDA kernels<% endif %>.
constexpr CustomOpSchema kOps[] = {
<% for op in custom %>
    {<%= op.domain | cpp_string %>, <%= op.op | cpp_string %>, <%= op.since %>, <% if op.inputs %><%= op.inputs %><% else %>nullptr<% endif %>, <%= op.input_count %>, <%= op.outputs %>, <%= op.output_count %>, <%= op.elementwise | cpp_bool %>, <%= op.computed | cpp_bool %>
<%- if cuda_library %>, <% if op.cuda_attrs %>EP_MAKE_CUDA(<%= op.cuda_ready %>, <%= op.cuda_attrs %>)<% else %>nullptr<% endif %><% endif %>},
<% endfor %>
};

}  // namespace

CustomOpTable CustomOps() noexcept { return {kOps, sizeof(kOps) / sizeof(kOps[0])}; }

const CustomOpSchema* FindCustomOp(const KernelRow& row) noexcept {
  for (const CustomOpSchema& op : kOps) {
    if (op.since != row.since || std::strcmp(op.op, row.op) != 0) continue;
    if (std::strcmp(op.domain, row.domain) == 0) return &op;
  }
  return nullptr;
}

}  // namespace <%= ns %>
