<%= banner %>
"""The operators as functions, and the table of them."""

from typing import Final

<% for line in table_imports %>
<%= line %>
<% endfor %>
<% for name in functions %>
from ._<%= name %> import <%= name %>
<% endfor %>

__all__ = [
<% for name in table_exports %>
    <%= name | py_string %>,
<% endfor %>
]

OPERATORS: Final = (
<% for op in ops %>
    _<%= op.function %>.OPERATOR,
<% endfor %>
)
# Custom domains and the version that models import.
DOMAINS: Final = {operator.domain: operator.version for operator in OPERATORS}
