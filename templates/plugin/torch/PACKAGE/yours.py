<%= banner %>
"""<%= view.label | line %> in PyTorch: the parts that are yours.

Inputs come by position, attributes by name. An optional input that was left out is None, a
variadic one is a list.
"""

<% for line in view.imports %>
<%= line %>
<% endfor %>

<% for line in view.aliases %>
<%= line %>
<% endfor %>
<% if view.stub %>

# What the tests call it with: shapes of the inputs (None leaves an optional one out), attributes.
EXAMPLE_SHAPES: list[Any] = [
<% for line in view.shapes %>
    <%= line %>,
<% endfor %>
]
<% if view.examples %>
EXAMPLE_ATTRIBUTES: dict[str, Any] = {
<% for line in view.examples %>
    <%= line %>,
<% endfor %>
}
<% else %>
EXAMPLE_ATTRIBUTES: dict[str, Any] = {}
<% endif %>
<% endif %>
<% for function in view.functions %>


def <%= function.name %>(
<% for line in function.formals %>
    <%= line %>,
<% endfor %>
) -> <%= function.result %>:
    """<%= function.doc %>"""
<% for line in function.raised %>
    <%= line %>
<% endfor %>
<% endfor %>
