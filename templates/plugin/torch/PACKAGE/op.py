<%= banner %>
"""<%= op.label | line %> in PyTorch."""

<% for line in op.imports %>
<%= line %>
<% endfor %>

OPERATOR: Final = Operator(
    domain=<%= op.domain | py_string %>,
    name=<%= op.name | py_string %>,
    version=<%= op.version %>,
    function=<%= op.function | py_string %>,
<% for line in op.table %>
    <%= line %>
<% endfor %>
<% if op.attributes %>
    attributes=(
<% for attribute in op.attributes %>
        Attribute(
            <%= attribute.name | py_string %>,
            <%= attribute.python | py_string %>,
            <%= attribute.type | py_string %>,
            <%= attribute.value %>,
        ),
<% endfor %>
    ),
<% else %>
    attributes=(),
<% endif %>
    elementwise=<%= op.computed | py_value %>,
    gradient=<%= (op.gradient is not none) | py_value %>,
)
<% for line in op.schema %>
<%= line %>
<% endfor %>


def <%= op.function %>(
<% for line in op.parameters %>
    <%= line %>,
<% endfor %>
) -> <%= op.result %>:
<% if op.computed %>
    """`<%= op.label | line %>`, element by element; the inputs are broadcast.

<% for line in op.texts %>
        <%= line | line %>
<% endfor %>
<% else %>
    """`<%= op.label | line %>`, as `yours/<%= op.function %>.py` computes it.
<% endif %>

    Raises:
        TypeError: a type that the operator has not, or a mixture of types.
        RuntimeError: shapes that do not go together.
    """
    result: <%= op.result %> = torch.ops.<%= ns %>.<%= op.function %>(
<% for line in op.called %>
        <%= line %>,
<% endfor %>
    )
    return result


def _forward(
<% for line in op.formals %>
    <%= line %>,
<% endfor %>
) -> <%= op.result %>:
<% for line in op.forward %>
    <%= line %>
<% endfor %>


def _fake(
<% for line in op.formals %>
    <%= line %>,
<% endfor %>
) -> <%= op.result %>:
<% for line in op.fake %>
    <%= line %>
<% endfor %>
<% if op.shape %>


def _shapes(
<% for line in op.formals %>
    <%= line %>,
<% endfor %>
) -> Sequence[Shape]:
<% for line in op.shape %>
    <%= line %>
<% endfor %>
<% endif %>
<% if op.gradient is not none %>
<% for part in op.gradient.parts %>


def <%= part.name %>(
<% for line in part.formals %>
    <%= line %>,
<% endfor %>
) -> Tensor:
    """What the gradient of <%= part.output.name %> adds to that of <%= part.input.name %>."""
<% for line in part.body %>
    <%= line %>
<% endfor %>
<% endfor %>


def _setup(
    ctx: Any,
    inputs: tuple[Any, ...],
<% if op.keywords %>
    keyword_only_inputs: dict[str, Any],
<% endif %>
    output: Any,
) -> None:
<% for line in op.gradient.setup %>
    <%= line %>
<% endfor %>


def _backward(
    ctx: Any,
<% for name in op.gradient.incoming %>
    <%= name %>: Tensor,
<% endfor %>
) -> tuple[Any, ...]:
<% for line in op.gradient.backward %>
    <%= line %>
<% endfor %>
<% endif %>


<% if op.gradient is not none %>
register(OPERATOR, _SCHEMA, _forward, _fake, _setup, _backward)
<% else %>
register(OPERATOR, _SCHEMA, _forward, _fake)
<% endif %>
