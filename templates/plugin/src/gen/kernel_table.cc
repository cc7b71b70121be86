<% from "plugin/src/gen/kernel_rows.inc" import rules, row_begin %>
<%= banner %>
#include "gen/kernel_table.h"

#include <algorithm>
<% if nhwc %>
#include <limits>
<% endif %>
#include <string_view>
#include <tuple>

<% for header in table.headers %>
#include "<%= header %>"
<% endfor %>
<% if table.widens %>
#include "gen/kernels/support/widened.h"
<% endif %>

namespace <%= ns %> {
<% if table.rows %>
namespace {

<%= rules(table, masks) %>
// Domain, op, version; type rules; inputs<% if masks %> and outputs<% endif %> that must be there, outputs at most; inputs and outputs
// on the host; ready;<% if compiled %> compiled; registered;<% endif %> maker.
constexpr KernelRow kRows[] = {
<% for row in table.rows %>
    <%= row_begin(row, masks, compiled) %> &<% if row.widened %>MakeWidened<<%= row.attrs %>, <%= row.widened.inputs %>, <%= row.widened.outputs %>, <%= row.widened.host_inputs %>><% else %>KernelOf<<%= row.attrs %>>::Make<% endif %>},
<% endfor %>
};

}  // namespace

KernelTable Kernels() noexcept { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }
<% else %>

KernelTable Kernels() noexcept { return {nullptr, 0}; }
<% endif %>

const KernelRow* FindKernel(const char* domain, const char* op, int since) noexcept {
  using Key = std::tuple<std::string_view, std::string_view, int>;
  const Key wanted(domain, op, since);
  const auto key = [](const KernelRow& row) { return Key(row.domain, row.op, row.since); };
  const auto before = [&](const KernelRow& row) { return key(row) < wanted; };
  const KernelTable table = Kernels();
  const KernelRow* end = table.rows + table.count;
  const KernelRow* found = std::partition_point(table.rows, end, before);
  return found != end && key(*found) == wanted ? found : nullptr;
}
<% if nhwc %>

bool HasNhwcKernel(const char* op) noexcept {
  return FindNhwcKernel(op, std::numeric_limits<int>::max()) != nullptr;
}

const KernelRow* FindNhwcKernel(const char* op, int since) noexcept {
  const KernelTable table = Kernels();
  const KernelRow* newest = nullptr;
  for (size_t i = 0; i < table.count; ++i) {
    const KernelRow& row = table.rows[i];
    const bool fits = std::string_view(row.domain) == kNhwcDomain && row.op == std::string_view(op);
    if (fits && row.since <= since) newest = &row;
  }
  return newest;
}
<% endif %>

}  // namespace <%= ns %>
