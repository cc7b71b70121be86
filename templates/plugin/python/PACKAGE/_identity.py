<%= banner %>
"""What this package and its library have in common; made from the same source as the library's."""

from typing import Final

# The distribution that this package comes in; where it comes in several, the first of them all.
DISTRIBUTION: Final = <%= distribution | py_string %>
<% if distributions | length == 1 %>
DISTRIBUTIONS: Final[tuple[str, ...]] = (<%= distributions[0] | py_string %>,)
<% else %>
DISTRIBUTIONS: Final[tuple[str, ...]] = (
<% for each in distributions %>
    <%= each | py_string %>,
<% endfor %>
)
<% endif %>
VERSION: Final = <%= version | py_string %>
VENDOR: Final = <%= vendor | py_string %>

# The name that sessions know the execution provider by, whatever name it was registered under.
EP_NAME: Final = <%= ep | py_string %>
# All execution providers in the library, that one first.
<% if eps | length == 1 %>
EP_NAMES: Final[tuple[str, ...]] = (<%= eps[0] | py_string %>,)
<% else %>
EP_NAMES: Final[tuple[str, ...]] = (
<% for each in eps %>
    <%= each | py_string %>,
<% endfor %>
)
<% endif %>
# The library's file name without the platform's prefix and suffix.
LIBRARY: Final = <%= library | py_string %>
# Environment variable that names the library's file and wins over every other place.
LIBRARY_VARIABLE: Final = <%= library_variable | py_string %>
<% if custom_library is not none %>
# The same of the library that has the custom operators alone.
CUSTOM_OPS_LIBRARY: Final = <%= custom_library | py_string %>
CUSTOM_OPS_LIBRARY_VARIABLE: Final = <%= custom_library_variable | py_string %>
<% endif %>
# Files that the library needs beside it, by platform as `sys.platform` has it.
RUNTIME_LIBRARIES: Final[dict[str, tuple[str, ...]]] = {
<% for platform, names in runtime_libraries %>
<% if names | length == 1 %>
    <%= platform | py_string %>: (<%= names[0] | py_string %>,),
<% elif names %>
    <%= platform | py_string %>: (
<% for name in names %>
        <%= name | py_string %>,
<% endfor %>
    ),
<% else %>
    <%= platform | py_string %>: (),
<% endif %>
<% endfor %>
}
# The oldest onnxruntime that the library loads into.
MINIMUM_ONNXRUNTIME: Final = <%= ort_minimum | py_string %>
