<%= banner %>
"""<%= ep %> for ONNX Runtime: a plugin library, from Python.

    import onnxruntime
    import <%= package %>

    <%= package %>.register()
    options = <%= package %>.session_options()
    session = onnxruntime.InferenceSession("model.onnx", options)

Importing this package imports nothing else; onnxruntime is needed from `register` on. Any
distribution of it will do, so none is a dependency.
"""

from . import _identity
<% if custom_library %>
from ._library import get_custom_ops_library_path, get_library_path
<% else %>
from ._library import get_library_path
<% endif %>
from ._options import OPTIONS, Option
from ._registration import devices, is_available, register, unregister
from ._sessions import assert_ep_selected, session_options
from ._types import Device, Hardware

__all__ = [
    "OPTIONS",
    "Device",
    "Hardware",
    "Option",
    "__version__",
    "assert_ep_selected",
    "devices",
<% if custom_library %>
    "get_custom_ops_library_path",
<% endif %>
    "get_ep_name",
    "get_ep_names",
    "get_library_path",
    "is_available",
    "register",
    "session_options",
    "unregister",
]

__version__ = _identity.VERSION


def get_ep_name() -> str:
    """The execution provider's name<% if several %>, of several in the library the first one's<% endif %>."""
    return _identity.EP_NAME


def get_ep_names() -> list[str]:
    """The names of all execution providers in the library<% if not several %>: one<% endif %>."""
    return list(_identity.EP_NAMES)
