<%= banner %>
<% if contexts %>
"""What a person wants to know first: `python -m <%= package %>`. And models compiled ahead of
time: `python -m <%= package %> compile MODEL...`."""
<% else %>
"""What a person wants to know first: `python -m <%= package %>`."""
<% endif %>

import importlib
import sys

from . import _identity, devices, get_library_path, register


def main() -> int:
    """Prints names, versions, the library and its devices. Returns 1 when there is no device."""
<% if contexts %>
    program = "python -m <%= package %>"
    if sys.argv[1:2] == ["compile"]:
        from . import _compile_command

        return _compile_command.main(
            sys.argv[2:], f"{program} compile", get_library_path, _identity.EP_NAME
        )
    if sys.argv[1:]:
        print(f"usage: {program} [compile MODEL...]", file=sys.stderr)
        return 0 if sys.argv[1] in ("-h", "--help") else 2
<% endif %>
    print(f"{_identity.EP_NAME} {_identity.VERSION} by {_identity.VENDOR}")
    print(f"library: {get_library_path()}")
    register()
    version = importlib.import_module("onnxruntime").__version__
    print(f"onnxruntime: {version} (at least {_identity.MINIMUM_ONNXRUNTIME})")
    found = devices()
    for device in found:
        hardware = device.device
        print(f"device: {hardware.type.name}, vendor {hardware.vendor_id:#06x} {hardware.vendor}")
    if not found:
        print("device: none on this machine")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
