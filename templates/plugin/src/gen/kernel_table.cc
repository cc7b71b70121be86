<%= banner %>
#include "gen/kernel_table.h"

#include <algorithm>
#include <cstring>

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
<% if masks %>
constexpr TypeRule Rule(const char* constraint, const DType (&types)[count], uint64_t inputs,
                        uint64_t outputs) {
  return {constraint, types, count, inputs, outputs};
}
<% else %>
constexpr TypeRule Rule(const char* constraint, const DType (&types)[count]) {
  return {constraint, types, count};
}
<% endif %>

<% for entry in table.rules %>
constexpr TypeRule <%= entry.name %>[] = {
<%- for rule in entry.rules %>Rule(<%= rule.constraint | cpp_string %>, <%= rule.types %><% if masks %>, <%= rule.inputs %>, <%= rule.outputs %><% endif %>)<% if not loop.last %>, <% endif %><% endfor -%>
};
<% endfor %>

// Domain, op, version; type rules; inputs<% if masks %> and outputs<% endif %> that must be there, outputs at most; inputs and outputs
// on the host; ready;<% if compiled %> compiled; registered;<% endif %> maker.
constexpr KernelRow kRows[] = {
<% for row in table.rows %>
    {<%= row.domain | cpp_string %>, <%= row.op | cpp_string %>, <%= row.since %>,
<%- if row.rules %> <%= row.rules %><% else %> nullptr<% endif %>, <%= row.rule_count %>, <%= row.needed_inputs %>,<% if masks %> <%= row.needed_outputs %>,<% endif %> <%= row.output_count %>, <%= row.host_inputs %>, <%= row.host_outputs %>, <%= row.ready %>,<% if compiled %> <%= row.compiled | cpp_bool %>, <%= row.registered | cpp_bool %>,<% endif %> &KernelOf<<%= row.attrs %>>::Make},
<% endfor %>
};

}  // namespace

KernelTable Kernels() noexcept { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }
<% else %>

KernelTable Kernels() noexcept { return {nullptr, 0}; }
<% endif %>

const KernelRow* FindKernel(const char* domain, const char* op, int since) noexcept {
  const auto order = [=](const KernelRow& row) {
    const int domains = std::strcmp(row.domain, domain);
    const int ops = std::strcmp(row.op, op);
    const int versions = (row.since > since) - (row.since < since);  // any int may be asked for
    return domains != 0 ? domains : ops != 0 ? ops : versions;
  };
  const auto before = [=](const KernelRow& row) { return order(row) < 0; };
  const KernelTable table = Kernels();
  const KernelRow* end = table.rows + table.count;
  const KernelRow* found = std::partition_point(table.rows, end, before);
  return found != end && order(*found) == 0 ? found : nullptr;
}

}  // namespace <%= ns %>
