<%= banner %>
"""The operators as modules: attributes are given once, inputs with each call."""

<% if sequences %>
from collections.abc import Sequence

<% endif %>
import torch
from torch import Tensor

from . import ops
<% for op in ops %>


class <%= op.module %>(torch.nn.Module):
<% if op.attributes %>
    """`<%= op.label | line %>`; its attributes are arguments here.

    Args:
<% for attribute in op.attributes %>
        <%= attribute.python %>: <%= "required" if attribute.value == "None" else "optional" %>; of type <%= attribute.type %>.
<% endfor %>
    """
<% for attribute in op.attributes if attribute.type == "tensor" %>

    <%= attribute.python %>: Tensor
<% endfor %>

    def __init__(
        self,
<% for line in op.init %>
        <%= line %>,
<% endfor %>
    ) -> None:
        super().__init__()
<% for attribute in op.attributes %>
<% if attribute.type == "tensor" %>
        self.register_buffer(<%= attribute.python | py_string %>, <%= attribute.python %>, persistent=False)
<% else %>
        self.<%= attribute.python %> = <%= attribute.python %>
<% endif %>
<% endfor %>
<% else %>
    """`<%= op.label | line %>`."""
<% endif %>

    def forward(
        self,
<% for line in op.module_inputs %>
        <%= line %>,
<% endfor %>
    ) -> <%= op.result %>:
        """Calls `<%= op.function %>`."""
        return ops.<%= op.function %>(
<% for line in op.module_call %>
            <%= line %>,
<% endfor %>
        )
<% if op.attributes %>

    def extra_repr(self) -> str:
        """The attributes."""
        names = [
<% for attribute in op.attributes %>
            <%= attribute.python | py_string %>,
<% endfor %>
        ]
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
<% endif %>
<% endfor %>
