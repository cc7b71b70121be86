<% from "kernels/expression.inc" import device_body, run, compute %>
<% set e = k.expression %>
<%= banner %>
#include "<%= k.cuda_header %>"

#include "<%= k.function_header %>"
#include "gen/kernels/support/errors.h"
#include "gen/kernels/support/pointwise.h"

namespace <%= ns %>::cuda {
namespace {

constexpr const char* kOp = <%= k.label | cpp_string %>;

<% for f in e.functions %>
<%= device_body(f) %>

<% endfor %>
<%= run(k, k.attrs, true) %>

<%= compute(k, k.attrs) %>

}  // namespace <%= ns %>::cuda
