<%= banner %>
#include "kernel_harness.h"

// Every kernel on small inputs with known results, scalars and empty tensors included.
namespace <%= ns %>::test {
namespace {

// The library searches the table by domain, op and version.
void TestTableIsSorted() {
  const KernelTable table = Kernels();
  for (size_t i = 1; i < table.count; ++i) {
    const KernelRow& before = table.rows[i - 1];
    const KernelRow& row = table.rows[i];
    int order = std::strcmp(before.domain, row.domain);
    if (order == 0) order = std::strcmp(before.op, row.op);
    if (order == 0) order = before.since - row.since;
    CHECK_THAT(order < 0, std::string(row.op) + " is in its place in the kernel table");
  }
}

<% for op in ops %>
void Test<%= op.name %>() {
<% for call in op.calls %>
<% if call.since | length > 1 %>
  for (int since : {<% for since in call.since %><%= since %><% if not loop.last %>, <% endif %><% endfor %>})
<% endif %>
<% for entry in call.loops %>
  for (DType <%= entry.variable %> : {<% for type in entry.types %>DType::<%= type %><% if not loop.last %>, <% endif %><% endfor %>})
<% endfor %>
  Call(<%= op.domain | cpp_string %>, <%= op.op | cpp_string %>,<% if call.since | length > 1 %> since<% else %> <%= call.since[0] %><% endif %>)
<% for name, value in call.attributes %>
      .With(<%= name | cpp_string %>, <%= value %>)
<% endfor %>
<% for name, tensor in call.tensors %>
      .With(<%= name | cpp_string %>, Make(<%= tensor.type %>, <%= tensor.shape %>, <%= tensor.data %>))
<% endfor %>
<% for tensor in call.inputs %>
<% if tensor %>
      .Input(<%= tensor.type %>, <%= tensor.shape %>, <%= tensor.data %>)
<% else %>
      .NoInput()
<% endif %>
<% endfor %>
<% for tensor in call.outputs %>
      .Expect(<%= tensor.type %>, <%= tensor.shape %>, <%= tensor.data %>)
<% endfor %>
      .Run();
<% endfor %>
}

<% endfor %>
}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
  CHECK(<%= ns %>::Kernels().count > 0);
  TestTableIsSorted();
<% for op in ops %>
  Test<%= op.name %>();
<% endfor %>
  return Verdict();
}
