"""What ``init`` puts into a directory: from answers, models or a blueprint to files in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from epforge.blueprint import parse
from epforge.errors import UsageError
from epforge.resolve import resolve_supported
from epforge.resolve.model import Blueprint
from epforge.resolve.wanted import Wanted
from epforge.starter import (
    BLUEPRINT,
    Answers,
    Problem,
    compose,
    given_answers,
    proposed_name,
    questions,
)
from epforge.starter import ready as ready_ones
from epforge.starter.answers import normal, recorded
from epforge.starter.models import Left, entries, granted
from epforge.starter.questions import Value, defaults
from epforge.verbs.wording import quoted
from epforge.workspace import LOCK, File, InTheWayError, Owner

#: Asks what is not settled yet; gets what is settled, and proposals for the rest.
Ask = Callable[[Answers, Answers], Answers]
_OF_READY = ("name", "vendor")


class AnswersError(UsageError):
    """Answers that cannot be, all of them.

    Args:
        problems: at least one.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        rows = [_line(each) for each in problems]
        if len(rows) == 1:
            super().__init__(rows[0], _sentence(problems[0].cure))
        else:
            ways = (f"\n  {row}{_after(each)}" for row, each in zip(rows, problems, strict=True))
            super().__init__(f"these answers cannot be:{''.join(ways)}")
        self.problems = tuple(problems)

    def details(self) -> Mapping[str, object]:
        rows = [
            {"option": option(each.question), "text": each.text, "cure": each.cure}
            for each in self.problems
        ]
        return {"answers": rows}


@dataclass(frozen=True)
class Start:
    """The repository, still in memory.

    Args:
        files: what it holds.
        answers: what was answered, with defaults.
        blueprint: the one among the files, resolved.
        left: operators of models that stay on the CPU.
    """

    files: tuple[File, ...]
    answers: Answers
    blueprint: Blueprint
    left: tuple[Left, ...] = ()


def from_answers(
    directory: Path, given: Answers, models: Sequence[Wanted] | None, ask: Ask | None
) -> Start:
    """A repository from nothing, or from the operators of models.

    Args:
        directory: where it goes; its name is the project's where nothing else is said.
        given: answers of the call.
        models: the operators of models, in place of the answer about them.
        ask: asks for the rest; None: it has its defaults.

    Raises:
        AnswersError: answers of the call cannot be.
        UsageError: one is missing, or the blueprint can have no operator of the models.
    """
    settled = _checked(given)
    if models is not None:
        settled["ops"] = entries(models)
        settled.setdefault("types", "")  # each entry has its own
    proposals: Answers = {"name": _name_of(directory)}
    answers = _completed(directory, settled, proposals, ask)
    left: tuple[Left, ...] = ()
    if models is not None:
        answers["ops"], left = granted(models, answers)
        if len(left) == len(models):
            rows = "".join(f"\n  {each.op}: {each.reason}" for each in left)
            raise UsageError(f"no operator of the model can be taken:{rows}")
    kept = recorded(answers)
    return _start(compose(answers, kept), kept, left)


def from_blueprint(directory: Path, name: str, given: Answers, ask: Ask | None) -> Start:
    """A repository from a ready blueprint or from one of the caller's.

    Args:
        directory: where it goes.
        name: of a ready one, or a path.
        given: answers of the call: its new name and vendor.
        ask: asks for those two; None: a ready one needs a vendor, a file keeps its own.

    Raises:
        AnswersError: answers of the call cannot be, or are the blueprint's to give.
        UsageError: there is no such blueprint, an answer is missing, or the text has to be edited
            by hand.
        BlueprintErrors: the blueprint cannot be expanded.
        OverlayError: what it names beside it cannot be read.
    """
    idle = [key for key in given if key not in _OF_READY]
    if idle:
        text, cure = "the blueprint says it already", "edit it there"
        raise AnswersError([Problem(key, f"{key}: {text}", cure) for key in idle])
    path, is_own = ready_ones.find(name)
    source = ready_ones.source_of(path)
    settled = _checked(given)
    said = dict(ready_ones.identity(source))
    proposals: Answers = {"name": _name_of(directory)} if is_own else {**said}
    rest = {key: value for key, value in defaults().items() if key not in _OF_READY}
    asking = None if ask is None else (lambda now, more: ask({**rest, **now}, more))
    answers = _completed(directory, settled, proposals, asking)
    kept: Answers = {key: answers[key] for key in _OF_READY}
    files = compose(kept, kept)
    files[BLUEPRINT] = ready_ones.adapted(source, {k: str(v) for k, v in kept.items()}).encode()
    return _start({**_overlays(source.file, files[BLUEPRINT], path.parent), **files}, kept)


def check_new(directory: Path, *, asking: bool) -> None:
    """Raises UsageError where there is a project already.

    Args:
        directory: where the repository goes.
        asking: a person is about to be asked, in vain where there is another blueprint.
    """
    if os.path.lexists(directory / LOCK):
        raise UsageError(
            f"{directory} is a project of epforge already",
            f"Edit {directory / BLUEPRINT}, then: epforge regenerate {quoted(directory)}",
        )
    if asking and os.path.lexists(directory / BLUEPRINT):
        raise InTheWayError(directory, (BLUEPRINT,))


def option(question: str) -> str:
    """The option of the command line that answers a question."""
    return "--" + question.replace("_", "-")


def _checked(given: Answers) -> Answers:
    right, problems = given_answers(given)
    if problems:
        raise AnswersError(problems)
    return right


def _completed(
    directory: Path, settled: Answers, proposals: Mapping[str, Value], ask: Ask | None
) -> Answers:
    if ask is not None:
        return normal(ask(settled, dict(proposals)))
    answers = {**proposals, **settled}
    for question in questions():
        if question.default is None and question.name not in answers:
            flag = option(question.name)
            raise UsageError(
                f"{flag} is missing. {question.help.partition(chr(10))[0]}",
                f"Such as: epforge init {quoted(directory)} {flag} {question.placeholder}\n"
                "  On a terminal, and without --defaults, you are asked.",
            )
    return answers


def _name_of(directory: Path) -> str:
    return proposed_name(Path(os.path.abspath(directory)).name)


def _start(files: Mapping[str, bytes], answers: Answers, left: tuple[Left, ...] = ()) -> Start:
    text = files[BLUEPRINT].decode()
    blueprint = resolve_supported(parse(text, f"{BLUEPRINT} (as it would be)"))
    made = tuple(File(path, content, Owner.YOURS) for path, content in sorted(files.items()))
    return Start(made, answers, blueprint, left)


def _overlays(file: str, text: bytes, root: Path) -> dict[str, bytes]:
    """What a blueprint needs of the directory that it lies in."""
    from epforge.render.overlay.find import find

    blueprint = resolve_supported(parse(text.decode(), file))
    return {
        path: item.content
        for overlay in blueprint.overlays
        for path, item in find(overlay, root).travels.items()
    }


def _line(problem: Problem) -> str:
    text = problem.text.removeprefix(f"{problem.question}: ")
    return f"{option(problem.question)}: {text}"


def _after(problem: Problem) -> str:
    return f"; {problem.cure}" if problem.cure else ""


def _sentence(text: str) -> str:
    end = "" if text.endswith((".", "?")) else "."
    return f"{text[:1].upper()}{text[1:]}{end}" if text else ""
