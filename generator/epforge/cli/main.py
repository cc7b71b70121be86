"""The command line: one lazy command per verb, and errors turned into exit statuses."""

from __future__ import annotations

import errno
import importlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from epforge import __version__
from epforge.cli import completion
from epforge.cli.tab import ASKED, answer
from epforge.errors import EpforgeError, MissingError, UsageError
from epforge.verbs.types import FORMAT
from epforge.verbs.wording import printable

# In the order of a project's life. Each is a module here with a function `command` or, for a verb
# with verbs of its own, a typer app `app`. A module is imported when its verb is used.
VERBS = (
    *("init", "check", "schema", "plan", "scaffold", "regenerate", "upgrade", "status", "resolve"),
    *("add", "eject", "templates", "build", "validate", "inspect", "report", "compile"),
    *("doctor", "ops", "sdk", "api"),
)
_JSON = "--json"
INTERRUPTED = 130
_MACHINE = "Make room, or give yourself the right to read and write there."
_WrongCall: Any = typer.BadParameter.__mro__[1]  # UsageError: typer exports no name for it


class _Group(TyperGroup):
    """Lists each command with its whole first sentence."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command: Any = super().get_command(ctx, cmd_name)
        if command is not None and command.help:
            sentence = re.split(r"(?<=\.)\s", command.help, maxsplit=1)[0]
            command.short_help = " ".join(sentence.split())
        return command


class _Verbs(_Group):
    """Imports a verb's module when the verb is used or listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in VERBS and cmd_name not in self.commands:
            self.commands[cmd_name] = self._imported(cmd_name)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in VERBS:  # typer proposes one of the commands that it has seen
            for verb in VERBS:
                self.get_command(ctx, verb)
        return super().resolve_command(ctx, args)

    def _imported(self, cmd_name: str) -> Any:
        module = importlib.import_module(f"epforge.cli.{cmd_name}")
        if hasattr(module, "app"):
            module.app.rich_markup_mode = None  # one style of help for all verbs
            command: Any = typer.main.get_group(module.app)
        else:
            single = make_app()
            single.command(cmd_name)(module.command)
            command = typer.main.get_command(single)
        command.name = cmd_name
        return command

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.obj = _JSON in args  # an error before the verb has read its options is JSON too
        with _reported(as_json=ctx.obj):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with _reported(as_json=ctx.obj):
            return super().invoke(ctx)


@contextmanager
def _reported(*, as_json: bool) -> Iterator[None]:
    """Turns errors into a report and an exit status. A wrong call is typer's to report as text."""
    try:
        yield
    except EpforgeError as error:
        _exit(error, as_json)
    except _WrongCall as error:
        if not as_json:
            raise
        _exit(UsageError(error.format_message(), "See --help."), as_json)
    except KeyboardInterrupt:
        # What shells expect after an interrupt; by itself typer would say 1.
        if as_json:
            _print_interrupted()
        raise SystemExit(INTERRUPTED) from None
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader has seen enough: typer's to end quietly
            raise
        place = f"{error.filename}: " if error.filename else ""
        _exit(MissingError(f"{place}{error.strerror or error}", _MACHINE), as_json)


def _exit(error: EpforgeError, as_json: bool) -> NoReturn:
    # The output itself may be what cannot be written: the exit status is left to say so.
    with suppress(OSError):
        report(error, as_json=as_json)
    raise SystemExit(int(error.exit_status)) from error


def make_app(**settings: Any) -> typer.Typer:
    """A typer app in epforge's style, for a verb with verbs of its own."""
    return typer.Typer(
        cls=_Group,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        no_args_is_help=True,
        **settings,
    )


app = typer.Typer(
    cls=_Verbs,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,  # there are two options of our own for it
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(context: typer.Context, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:  # a shell that asks what may follow
        typer.echo(f"epforge {__version__}")
        raise typer.Exit


@app.callback()
def epforge(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
    install_completion: bool = typer.Option(
        False,
        "--install-completion",
        callback=completion.install,
        is_eager=True,
        help=completion.INSTALL_HELP,
    ),
    show_completion: bool = typer.Option(
        False,
        "--show-completion",
        callback=completion.show,
        is_eager=True,
        help=completion.SHOW_HELP,
    ),
) -> None:
    """epforge turns a YAML blueprint into a complete ONNX Runtime plugin execution provider,
    builds it and proves that it works.

    Start with a blueprint of four lines, and:

    \b
        epforge scaffold blueprint.yaml my-ep --build --validate

    Exit status: 0 fine; 1 a check failed, or a project is not what its blueprint says; 2 the
    blueprint or the call is wrong; 3 files are in conflict, and the message says how to decide;
    4 something is missing on this machine, and the message says how to get it.
    """


def report(error: EpforgeError, *, as_json: bool) -> None:
    """Prints an error: as text to stderr, or as JSON to stdout for the program that asked."""
    if not as_json:
        typer.echo(_text(error), err=True)
        return
    details = error.details()
    message = error.message
    if "diagnostics" in details:  # they are the message, in another form
        message = "the blueprint cannot be used as it is"
    _print_error(message, error.cure, int(error.exit_status), details)


def _print_interrupted() -> None:
    with suppress(OSError):
        _print_error("interrupted", "", INTERRUPTED, {})


def _print_error(message: str, cure: str, status: int, details: Mapping[str, object]) -> None:
    body = {"message": message, "cure": cure, "exit_status": status, **details}
    typer.echo(json.dumps({"format": FORMAT, "error": body}, indent=2))


def _text(error: EpforgeError) -> str:
    # A report on a blueprint begins with its place already.
    return printable(str(error) if hasattr(error, "diagnostics") else f"epforge: {error}")


def main() -> None:
    """Runs the command line of this process and exits."""

    def run() -> None:
        typer.main.get_command(app)(prog_name="epforge")

    if ASKED in os.environ:
        answer(run)
    run()
