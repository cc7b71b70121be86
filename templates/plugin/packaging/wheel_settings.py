<%= banner %>
"""What the wheels of this project consist of; made from the blueprint."""

from typing import Final

# The directory python/PACKAGE goes into the wheel under this name, and what is built beside it.
PACKAGE: Final = <%= package | py_string %>
# The distributions that may be made, all of the same package: one is installed at a time.
<% if several %>
DISTRIBUTIONS: Final[tuple[str, ...]] = (
<% for each in distributions %>
    <%= each | py_string %>,
<% endfor %>
)
<% else %>
DISTRIBUTIONS: Final[tuple[str, ...]] = (<%= distributions[0] | py_string %>,)
<% endif %>
# The file that says what the library claims, beside the project's sources.
MANIFEST: Final = "src/gen/manifest.json"

# What the build makes or puts beside the library, by platform. Nothing else is taken from it.
BINARIES: Final[dict[str, tuple[str, ...]]] = {
<% for platform, names in binaries %>
    <%= platform | py_string %>: (
<% for name in names %>
        <%= name | py_string %>,
<% endfor %>
    ),
<% endfor %>
}
# Of these, the libraries that the build does not make itself (`runtime_libs` of the blueprint).
RUNTIME_LIBS: Final[dict[str, tuple[str, ...]]] = {
<% for platform, names in runtime_libs %>
<% if names | length > 1 %>
    <%= platform | py_string %>: (
<% for name in names %>
        <%= name | py_string %>,
<% endfor %>
    ),
<% else %>
    <%= platform | py_string %>: (<% for name in names %><%= name | py_string %>,<% endfor %>),
<% endif %>
<% endfor %>
}
# Libraries that stay out of the wheel even if a library in it needs them: the user's system or the
# application has them. Whatever version a name ends in, it is meant.
SYSTEM_LIBS: Final = (
<% for pattern in system_libs %>
    <%= pattern | py_string %>,
<% endfor %>
)
