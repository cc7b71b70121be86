<%= banner %>
#pragma once

#include "<%= k.base.header %>"

namespace <%= ns %> {

// <%= k.about | cpp_comment %> The channels of the first input and of the
// first output come last. What a node says is read as it is in the other layout.
struct <%= k.attrs %> : <%= k.base.attrs %> {};

<% if k.outputs | length > 1 %>
Status Read(const Node& node, <%= k.attrs %>& attrs);
<% endif %>
Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes);
Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec);

}  // namespace <%= ns %>
