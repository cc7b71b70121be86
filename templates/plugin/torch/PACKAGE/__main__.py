<%= banner %>
"""Exports a model: `python -m <%= package %> MODULE:FUNCTION OUT.onnx`."""

import argparse
import importlib
import sys
from pathlib import Path

from .export import OPSETS, ExportError, export

FAILED = 1
WRONG_CALL = 2


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = _parser()
    given = parser.parse_args(arguments)
    module, separator, function = given.source.partition(":")
    if not separator or not function:
        parser.error(f"{given.source!r} is not MODULE:FUNCTION")
    # As with `python -m`, modules in the folder where one is are found.
    sys.path.insert(0, str(Path.cwd()))
    try:
        make = getattr(importlib.import_module(module), function)
    except (ModuleNotFoundError, AttributeError) as error:
        parser.error(f"{given.source}: {error}")
    model, args, *rest = make()
    try:
        proto = export(
            model,
            args,
            given.output,
            exporter=given.exporter,
            opset=given.opset,
            dynamic=rest[0] if rest else None,
        )
    except (ExportError, NotImplementedError, TypeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILED
    imports = ", ".join(f"{each.domain or 'ai.onnx'} {each.version}" for each in proto.opset_import)
    print(f"{given.output}: {imports}")
    return 0


def _parser() -> argparse.ArgumentParser:
    opsets = ", ".join(f"{name} {opset or 'none'}" for name, opset in OPSETS.items())
    parser = argparse.ArgumentParser(
        prog="python -m <%= package %>",
        description="Exports a PyTorch model that uses the operators to ONNX.",
    )
    add = parser.add_argument
    add("source", metavar="MODULE:FUNCTION", help="returns the model, its arguments as a tuple, "
        "and optionally names of open sizes: input -> axis -> name")  # fmt: skip
    add("output", metavar="OUT.onnx", help="the file to write")
    add("--exporter", choices=["dynamo", "legacy"], default="dynamo")
    add("--opset", type=int, help=f"of the default domain; by default: {opsets}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
