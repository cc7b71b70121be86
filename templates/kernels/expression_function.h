<% set e = k.expression %>
<%= banner %>
#pragma once

#include <cstdint>

<% for header in e.headers %>
#include "gen/kernels/support/<%= header | path %>"
<% endfor %>

// One element of each output of <%= k.label | cpp_comment %>, for the host and for the device.
namespace <%= ns %> {

<% for f in e.functions %>
// <%= f.output | cpp_comment %> = <%= f.text | cpp_comment %>
<% if f.variables %>
template <<% for v in f.variables %>class <%= v %><% if not loop.last %>, <% endif %><% endfor %>>
<% endif %>
struct <%= f.name %> {
<% for m in f.members %>
  <%= m.cpp %> <%= m.name %>;
<% endfor %>
<% if f.members %>

<% endif %>
<% if f.arguments and (f.arguments | last).variadic %>
  template <class Xs>
<% endif %>
  EP_HOST_DEVICE <%= f.result %> operator()(<% for a in f.arguments %><%= a.declared %> <%= a.name %><% if not loop.last %>, <% endif %><% endfor %>) const { return <%= f.code %>; }
};

<% endfor %>
}  // namespace <%= ns %>
