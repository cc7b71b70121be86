<%= banner %>
"""The operators that there are kernels for: what a call may have, by domain, name and version."""

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class Attribute:
    """An attribute: its kind as ONNX has it, in lower case."""

    kind: str
    required: bool = False


@dataclass(frozen=True)
class Schema:
    """One version of an operator.

    Args:
        outputs: how many outputs are required.
        most_outputs: how many there can be.
        typed_by: the attribute that says of which type the first output is; None: the inputs say.
        typed_by_default: the number of the type where that attribute is left out.
    """

    attributes: dict[str, Attribute] = field(default_factory=dict)
    outputs: int = 1
    most_outputs: int = 1
    typed_by: str | None = None
    typed_by_default: int = 0


SCHEMAS: Final[dict[tuple[str, str], dict[int, Schema]]] = {
<% for entry in schemas %>
    (<%= entry.domain | py_string %>, <%= entry.op | py_string %>): {
<% for version in entry.versions %>
<% for line in version %>
        <%= line %>
<% endfor %>
<% endfor %>
    },
<% endfor %>
}
