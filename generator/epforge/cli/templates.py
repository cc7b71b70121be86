"""``epforge templates``: epforge's own templates, to be replaced one by one."""

from __future__ import annotations

import difflib
import hashlib
import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from epforge.cli.main import make_app, printable
from epforge.errors import ExitStatus, UsageError

app = make_app()

_FORMAT = 1


class State(StrEnum):
    """How a template of yours stands to epforge's."""

    SAME = "same"  # no need for it
    CHANGED = "changed"  # yours, from the text that epforge has now
    OLD = "old"  # yours, from a text that epforge has no more
    UNRECORDED = "unrecorded"  # yours; it was not ejected
    UNKNOWN = "unknown"  # epforge has no such template


@app.callback()
def _group() -> None:
    """Shows epforge's templates, and copies them out for you to change.

    A blueprint names the directory of yours: `overlays: [{templates: ./house-style/templates}]`.

    \b
        epforge templates eject plugin/README.md --to house-style/templates
    """


@app.command("list")
def list_templates(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Lists all templates.

    \b
        epforge templates list
    """
    names = _names()
    if as_json:
        typer.echo(json.dumps({"format": _FORMAT, "templates": list(names)}, indent=2))
        return
    for name in names:
        typer.echo(name)


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="Such as plugin/README.md.", metavar="NAME")],
) -> None:
    """Prints the text of a template.

    \b
        epforge templates show plugin/README.md
    """
    typer.echo(_own(name).decode("utf-8"), nl=False)


@app.command("eject")
def eject(
    names: Annotated[list[str], typer.Argument(help="Such as plugin/README.md.", metavar="NAME")],
    to: Annotated[Path, typer.Option("--to", help="Your templates.", metavar="DIR")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Copies templates out, for you to change.

    Each gets the same path in DIR. ejected.json beside them keeps the hash of epforge's text, so
    that `templates diff` can tell when epforge's has changed since.

    \b
        epforge templates eject plugin/README.md --to house-style/templates
    """
    from epforge.workspace.paths import check_inside

    texts = {name: _own(name) for name in names}
    check_inside(to, texts)
    for name in texts:
        if (to / name).exists() or (to / name).is_symlink():
            raise UsageError(
                f"{to / name} is there already",
                "epforge templates diff shows how it differs from epforge's.",
            )
    record = {**_recorded(to), **{name: _sha(text) for name, text in texts.items()}}
    body = {"format": _FORMAT, "templates": dict(sorted(record.items()))}
    try:
        for name, text in texts.items():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            (to / name).write_bytes(text)
        _record_path(to).write_bytes(f"{json.dumps(body, indent=2)}\n".encode())
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from error
    if as_json:
        typer.echo(json.dumps({"written": [str(to / name) for name in texts]}, indent=2))
        return
    for name in texts:
        typer.echo(f"{to / name} is yours to change")


@app.command("diff")
def diff(
    directory: Annotated[Path, typer.Argument(help="Your templates.", metavar="DIR")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Shows how your templates differ from epforge's, and which of epforge's changed since.

    Exit status 1 if one was ejected from a text that epforge has no more, or stands for none.

    \b
        epforge templates diff house-style/templates
    """
    rows = _compare(directory)
    if as_json:
        typer.echo(json.dumps({"format": _FORMAT, "templates": rows}, indent=2))
    else:
        for row in rows:
            typer.echo(printable(f"{row['name']}: {_SAID[State(row['state'])]}"))
            typer.echo(printable(row["diff"]), nl=False)
    if any(row["state"] in (State.OLD, State.UNKNOWN) for row in rows):
        raise typer.Exit(int(ExitStatus.CHECK_FAILED))


_SAID = {
    State.SAME: "the same as epforge's",
    State.CHANGED: "changed",
    State.OLD: "epforge's has changed since it was ejected",
    State.UNRECORDED: "changed; of which text of epforge's is not known",
    State.UNKNOWN: "epforge has no such template",
}


def _compare(directory: Path) -> list[dict[str, Any]]:
    from epforge.render.overrides import EJECTED

    if not directory.is_dir():
        raise UsageError(f"{directory} is not a directory")
    names, record = set(_names()), _recorded(directory)
    folders = {name.split("/")[0] for name in names}
    rows = []
    root = directory.resolve()
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        name = path.relative_to(directory).as_posix()
        if name == EJECTED or name.split("/")[0] not in folders:
            continue
        if not path.resolve().is_relative_to(root):
            raise UsageError(f"{path} leads out of {directory}", "Put the file itself there.")
        yours = _read(path)
        own = _own(name) if name in names else b""
        state = _state(yours, own, record.get(name)) if name in names else State.UNKNOWN
        text = "" if state is State.UNKNOWN else _diff(name, own, yours)
        rows.append({"name": name, "state": state.value, "diff": text})
    if not rows:
        raise UsageError(f"{directory} has no templates", "See: epforge templates list")
    return rows


def _state(yours: bytes, own: bytes, ejected: str | None) -> State:
    if yours == own:
        return State.SAME
    if ejected is None:
        return State.UNRECORDED
    return State.CHANGED if ejected == _sha(own) else State.OLD


def _diff(name: str, own: bytes, yours: bytes) -> str:
    before, after = (
        text.decode("utf-8", errors="replace").splitlines(keepends=True) for text in (own, yours)
    )
    lines = difflib.unified_diff(before, after, f"epforge/{name}", f"yours/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _names() -> tuple[str, ...]:
    from epforge.render.overrides import template_names

    return template_names()


def _own(name: str) -> bytes:
    from epforge.assets import assets_dir
    from epforge.blueprint.diagnostic import show as quoted
    from epforge.blueprint.diagnostic import suggest

    names = _names()
    if name not in names:
        near = suggest(name, names)
        cure = f"Did you mean {near}?" if near else "See: epforge templates list"
        raise UsageError(f"epforge has no template {quoted(name)}", cure)
    return (assets_dir("templates") / name).read_bytes()


def _sha(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _record_path(directory: Path) -> Path:
    from epforge.render.overrides import EJECTED

    return directory / EJECTED


def _recorded(directory: Path) -> dict[str, str]:
    """The hashes of epforge's texts that the templates in a directory come from."""
    path = _record_path(directory)
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise UsageError(f"{path} is a link, or no file", "Remove it.")
    if not path.exists():
        return {}
    try:
        data = json.loads(_read(path))
        if data["format"] != _FORMAT:
            raise UsageError(f"{path} is of format {data['format']}", "A newer epforge reads it.")
        return {str(name): str(value) for name, value in data["templates"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read: it is not what epforge writes") from error


def _read(path: Path) -> bytes:
    """A file that is no larger than what an overlay can have."""
    from epforge.render.overlay.find import MAX_BYTES

    with open(path, "rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise UsageError(f"{path} has more than {MAX_BYTES // 1_000_000} MB")
    return content
