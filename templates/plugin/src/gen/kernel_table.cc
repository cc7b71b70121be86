<%= banner %>
#include "gen/kernel_table.h"

<% for header in table.headers %>
#include "<%= header %>"
<% endfor %>

namespace <%= ns %> {
<% if table.rows %>
namespace {

<% for list in table.types %>
constexpr DType <%= list.name %>[] = {
<%- for type in list.types %>DType::<%= type %><% if not loop.last %>, <% endif %><% endfor -%>
};
<% endfor %>

template <size_t count>
constexpr TypeRule Rule(const char* constraint, const DType (&types)[count]) {
  return {constraint, types, count};
}

<% for entry in table.rules %>
constexpr TypeRule <%= entry.name %>[] = {
<%- for constraint, list in entry.rules %>Rule(<%= constraint | cpp_string %>, <%= list %>)<% if not loop.last %>, <% endif %><% endfor -%>
};
<% endfor %>

// Domain, op, version; type rules; inputs that must be there, outputs at most; inputs and outputs
// on the host; ready; maker.
constexpr KernelRow kRows[] = {
<% for row in table.rows %>
    {<%= row.domain | cpp_string %>, <%= row.op | cpp_string %>, <%= row.since %>,
<%- if row.rules %> <%= row.rules %><% else %> nullptr<% endif %>, <%= row.rule_count %>, <%= row.needed_inputs %>, <%= row.output_count %>, <%= row.host_inputs %>, <%= row.host_outputs %>, <%= row.ready %>, &KernelOf<<%= row.attrs %>>::Make},
<% endfor %>
};

}  // namespace

KernelTable Kernels() noexcept { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }
<% else %>

KernelTable Kernels() noexcept { return {nullptr, 0}; }
<% endif %>

}  // namespace <%= ns %>
