<%= banner %>
"""A function for each operator, in its newest version; `run` calls older ones.

Inputs are NumPy arrays, or anything with ``__dlpack__`` on the CPU; None is an optional one that is
left out. ``out`` and ``copy`` are as in `run`, and so are the exceptions.
"""

<% if sequences %>
from collections.abc import Sequence

<% endif %>
from ._call import Array, Out, Tensor, run

__all__ = [
<% for name in names %>
    <%= name | py_string %>,
<% endfor %>
]
<% for function in functions %>


<% for line in function %>
<%= line %>
<% endfor %>
<% endfor %>
