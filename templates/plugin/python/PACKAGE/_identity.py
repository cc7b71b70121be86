<%= banner %>
"""What this package and its library have in common; made from the same source as the library's."""

from typing import Final

DISTRIBUTION: Final = <%= distribution | py_string %>
VERSION: Final = <%= version | py_string %>
VENDOR: Final = <%= vendor | py_string %>

# The name that sessions know the execution provider by, whatever name it was registered under.
EP_NAME: Final = <%= ep | py_string %>
# All execution providers in the library, that one first.
EP_NAMES: Final = (<% for each in eps %><%= each | py_string %>,<%= "" if loop.last else " " %><% endfor %>)
# The library's file name without the platform's prefix and suffix.
LIBRARY: Final = <%= library | py_string %>
# Environment variable that names the library's file and wins over every other place.
LIBRARY_VARIABLE: Final = <%= library_variable | py_string %>
<% if custom_library is not none %>
# The same of the library that has the custom operators alone.
CUSTOM_OPS_LIBRARY: Final = <%= custom_library | py_string %>
CUSTOM_OPS_LIBRARY_VARIABLE: Final = <%= custom_library_variable | py_string %>
<% endif %>
# The oldest onnxruntime that the library loads into.
MINIMUM_ONNXRUNTIME: Final = <%= ort_minimum | py_string %>
