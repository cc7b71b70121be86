<% from "kernels/parts.inc" import read %>
<% from "kernels/expression.inc" import host_loop, run, compute %>
<% set e = k.expression %>
<%= banner %>
#include "<%= k.header %>"

#include "<%= k.function_header %>"
#include "gen/kernels/support/errors.h"
#include "gen/kernels/support/pointwise.h"

namespace <%= ns %> {
namespace {

constexpr const char* kOp = <%= k.label | cpp_string %>;

<% for f in e.functions %>
<%= host_loop(f) %>

<% endfor %>
<%= run(k, k.attrs, false) %>

<%= compute(k, k.attrs) %>

<% if e.inputs is none %>
<%= read(k, "CheckInputCount(kOp, node.InputCount())") %>
<% else %>
<%= read(k) %>
<% endif %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  return BroadcastToAll(inputs, shapes);
}

}  // namespace <%= ns %>
