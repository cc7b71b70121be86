"""The reference of the command line, as Markdown: every verb, made from the commands themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer

from epforge.errors import ExitStatus

#: What starts a paragraph of help that is shown as it is.
_VERBATIM = "\b"
_STATUSES = {
    ExitStatus.OK: "fine",
    ExitStatus.CHECK_FAILED: "a check failed, or a project is not what its blueprint says",
    ExitStatus.WRONG_INPUT: "the blueprint or the call is wrong",
    ExitStatus.CONFLICTS: "files are in conflict, and the message says how to decide",
    ExitStatus.MISSING: "something is missing on this machine, and the message says how to get it",
}
_HEAD = """\
# Command line reference

Every verb with all that it takes; `epforge VERB --help` says the same. The guide to them is
[The command line](../cli.md).

This page is made from the commands. After a change of those, make it again:
`python -m epforge.cli.make_reference`.

## Exit status

It is the same for every verb. When one of them means something of its own by it, its text says so.

| Status | Meaning |
| --- | --- |
"""


@dataclass(frozen=True)
class Parameter:
    """An argument or an option of a verb.

    Args:
        usage: how it is written, such as ``-o, --output FILE``.
        sentence: what it is for; empty if nobody says.
        default: what holds without it; empty if nothing does.
        required: it has to be given.
        option: an option, no argument.
    """

    usage: str
    sentence: str
    default: str
    required: bool
    option: bool


@dataclass(frozen=True)
class Verb:
    """A verb, or one of a verb's own verbs.

    Args:
        words: how it is called: ``("epforge", "add", "op")``.
        usage: the line that says what it takes.
        prose: the paragraphs of its help, as Markdown.
        examples: the lines in them that can be typed.
        parameters: its arguments and options, in the order of its help.
        group: it has verbs of its own, and does nothing by itself.
    """

    words: tuple[str, ...]
    usage: str
    prose: tuple[str, ...]
    examples: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    group: bool


def verbs(command: Any, words: tuple[str, ...] = ("epforge",), parent: Any = None) -> list[Verb]:
    """A command of typer and all below it, in the order of their help.

    Args:
        command: the command.
        words: how it is called.
        parent: the context that it is called in.
    """
    context = typer.Context(command, info_name=words[-1], parent=parent)
    below: dict[str, Any] = {}
    if hasattr(command, "list_commands"):
        below = {
            name: command.get_command(context, name) for name in command.list_commands(context)
        }
    shown = {name: each for name, each in below.items() if not each.hidden}
    found = [_verb(command, words, context)]
    for name, each in shown.items():
        found += verbs(each, (*words, name), context)
    return found


def reference(command: Any) -> str:
    """The page of a command and all below it."""
    found = verbs(command)
    lines = [f"| {int(status)} | {meaning} |" for status, meaning in _STATUSES.items()]
    lines += [
        "| 130 | interrupted |",
        "",
        "## Verbs",
        "",
        "| Verb | What it does |",
        "| --- | --- |",
    ]
    for verb in found[1:]:
        name = " ".join(verb.words[1:])
        lines.append(f"| [`{name}`](#{'-'.join(verb.words)}) | {_first_sentence(verb)} |")
    for verb in found:
        lines += ["", *_section(verb)]
    return _HEAD + "\n".join(lines) + "\n"


def _first_sentence(verb: Verb) -> str:
    text = verb.prose[0] if verb.prose else ""
    return re.split(r"(?<=[.;:])\s", f"{text} ", maxsplit=1)[0].rstrip(".;: ")


def _section(verb: Verb) -> Iterator[str]:
    yield "#" * min(len(verb.words) + 1, 4) + " " + " ".join(verb.words)
    yield from ("", "```", verb.usage, "```")
    for paragraph in verb.prose:
        yield from ("", paragraph)
    for option, title in ((False, "Argument"), (True, "Option")):
        rows = [each for each in verb.parameters if each.option is option]
        if rows:
            yield from ("", f"| {title} | Meaning | Default |", "| --- | --- | --- |")
        for row in rows:
            default = "required" if row.required else f"`{row.default}`" if row.default else ""
            usage = row.usage.replace("|", "\\|")  # else the end of the cell, in code as well
            yield f"| `{usage}` | {_escaped(row.sentence)} | {default} |"


def _verb(command: Any, words: tuple[str, ...], context: Any) -> Verb:
    prose, examples = _help(command.help or "")
    usage = [" ".join(words), *(part for part in command.collect_usage_pieces(context))]
    return Verb(
        words,
        " ".join(usage),
        prose,
        examples,
        tuple(_parameter(each, context) for each in command.params if not each.hidden),
        hasattr(command, "list_commands"),
    )


def _help(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    prose: list[str] = []
    examples: list[str] = []
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if paragraph.startswith(_VERBATIM):
            lines = inspect.cleandoc(paragraph.removeprefix(_VERBATIM)).splitlines()
            examples += [line for line in lines if not line.startswith("#")]
            prose.append("\n".join(["```sh", *lines, "```"]))
        elif paragraph:
            prose.append(_escaped(" ".join(paragraph.split())))
    return tuple(prose), tuple(examples)


def _parameter(param: Any, context: Any) -> Parameter:
    option = param.param_type_name == "option"
    flag = option and (param.is_flag or param.count)
    names = " / ".join(", ".join(each) for each in (param.opts, param.secondary_opts) if each)
    value = "" if flag else param.metavar or _choices(param, context)
    return Parameter(
        f"{names} {value}".rstrip() if option else value,
        " ".join(str(param.help or "").split()),
        "" if flag else _default(param.default),
        bool(param.required),
        option,
    )


def _choices(param: Any, context: Any) -> str:
    """What typer writes for a value that has no name of ours: the words to choose from."""
    usage = str(param.get_help_record(context)[0])
    return usage.rpartition(" ")[2].strip("<>[]") if " " in usage else usage


def _default(value: Any) -> str:
    value = getattr(value, "value", value)  # of a word to choose
    return "" if callable(value) or value in (None, (), []) else str(value)


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is; what stands in backticks is code there, too."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"([|<*_\[\]])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)
