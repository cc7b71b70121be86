<%= banner %>
"""What a person wants to know first: `python -m <%= package %>`.

It exits with 0 when there is a device to run on, with 1 when there is none, for whatever reason,
which it says, and with 2 when it is called wrongly.
<% if contexts %>

And models compiled ahead of time: `python -m <%= package %> compile MODEL...`.
<% endif %>
"""

import argparse
import json
import sys

<% if contexts %>
from . import _compile_command, _identity, _report, get_library_path
<% else %>
from . import _identity, _report
<% endif %>

_PROGRAM = f"python -m {__package__}"


def main() -> int:
    """Prints names, versions, the library, its devices and options."""
<% if contexts %>
    if sys.argv[1:2] == ["compile"]:
        return _compile_command.main(
            sys.argv[2:], f"{_PROGRAM} compile", get_library_path, _identity.EP_NAME
        )
<% endif %>
    parser = argparse.ArgumentParser(
        prog=_PROGRAM,
        description=f"What there is of {_identity.EP_NAME}: library, versions, devices, options.",
<% if contexts %>
        epilog=f"exit status: 0 a device, 1 no device, 2 a wrong call; models: {_PROGRAM} compile -h",
<% else %>
        epilog="exit status: 0 a device, 1 no device, 2 a wrong call",
<% endif %>
    )
    parser.add_argument("--json", action="store_true", help="for programs")
<% if virtual %>
    parser.add_argument("--virtual", action="store_true", help="with the virtual device")
    arguments = parser.parse_args()
    report = _report.collect(virtual=arguments.virtual)
<% else %>
    arguments = parser.parse_args()
    report = _report.collect()
<% endif %>
    if arguments.json:
        print(json.dumps(report, indent=2))
    else:
        print("\n".join(_report.lines(report)))
    return 0 if report["devices"] else 1


if __name__ == "__main__":
    sys.exit(main())
