"""Answers, held against epforge's own rules: together they must be a right blueprint."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from epforge.blueprint import BlueprintErrors, BlueprintShape, Diagnostic, parse
from epforge.blueprint.diagnostic import show, suggest
from epforge.resolve import analyse
from epforge.starter.compose import blueprint_text
from epforge.starter.questions import STAND_INS, Value, applies, defaults, questions

Answers = dict[str, Value]
_SEPARATORS = re.compile(r"[\s,]+")


@dataclass(frozen=True)
class Problem:
    """An answer that cannot be.

    Args:
        question: its name.
        text: what is wrong, one line.
        cure: what to answer instead, one line; may be empty.
        fix: an answer that would be right, where there is one sensible one.
    """

    question: str
    text: str
    cure: str = ""
    fix: str = ""


class Rules:
    """Checks answers one after the other, each with those before it.

    Args:
        settled: what is not asked for any more.
    """

    def __init__(self, settled: Mapping[str, Value]) -> None:
        self._settled = dict(settled)
        # Operators of models are fitted to the other answers, not these to them.
        self._answers = {key: value for key, value in settled.items() if not is_block(value)}

    def wrong(self, name: str, value: Value, **others: Value) -> str:
        """What is wrong with an answer, in one line; empty if it is right. The starter's
        questionnaire calls this.

        Args:
            name: of the question.
            value: the answer.
            others: answers that were chosen from a list, which need no check of their own.
        """
        if self._settled.get(name) == value:
            return ""
        self._answers.update(others)
        found = problem_of(name, value, self._answers)
        if found is None:
            self._answers[name] = value
            return ""
        text = found.text.rpartition(": ")[2] if "[" in found.text else found.text
        text = text.removeprefix(f"{name}: ")
        # A terminal shows one line of it, and cuts that: what to do comes first.
        return f"{found.cure.rstrip('?')}; {text}" if found.cure else text


def problem_of(name: str, value: Value, answers: Mapping[str, Value]) -> Problem | None:
    """What is wrong with an answer; None if it is right.

    Args:
        name: of the question.
        value: the answer, as it was given.
        answers: others to go with it; defaults stand in for the rest.
    """
    choices = next(each.choices for each in questions() if each.name == name)
    if choices and value not in choices:
        near = suggest(str(value), choices)
        known = ", ".join(choices)
        text = f"{name}: {show(str(value))} is none of the choices"
        return Problem(name, text, f"did you mean {near}?" if near else f"one of {known}")
    if choices or isinstance(value, bool):
        return None
    if not value.isprintable() and name != "ops":
        return Problem(name, f"{name}: {show(value)} is not one line of printable text")
    asked = normal({**STAND_INS, **answers, name: value})
    text = blueprint_text(asked)
    try:
        analysis = analyse(parse(text, "blueprint.yaml"))
    except BlueprintErrors:
        return Problem(name, f"{name}: {show(value)} is more than a value")
    found = (*analysis.errors, *analysis.unsupported)
    if found:
        return _problem(name, found[0])
    if _is_said(analysis.source.shape, name, asked[name]):
        return None
    return Problem(name, f"{name}: {show(value)} is more than a value")


def given_answers(given: Mapping[str, Value]) -> tuple[Answers, tuple[Problem, ...]]:
    """Answers that were given without being asked for, and all that is wrong with them.

    Args:
        given: by the name of the question.
    """
    right: Answers = {}
    problems: list[Problem] = []
    for question in questions():
        if question.name not in given:
            continue
        value = given[question.name]
        if not applies(question, {**defaults(), **right}):
            problems.append(Problem(question.name, *_idle(question.name)))
            continue
        found = problem_of(question.name, value, right)
        if found is None:
            right[question.name] = value
        else:
            problems.append(found)
    return normal(right), tuple(problems)


def recorded(answers: Mapping[str, Value]) -> Answers:
    """The answers to all questions that are asked, in their order."""
    whole = {**defaults(), **answers}
    return {
        each.name: whole[each.name]
        for each in questions()
        if each.name in whole and applies(each, whole)
    }


def normal(answers: Mapping[str, Value]) -> Answers:
    """Answers as they are written: lists with commas, the rest as it is."""
    return {name: _normal(name, value) for name, value in answers.items()}


def proposed_name(text: str) -> str:
    """The nearest to a text that a project can be called, such as a directory's name."""
    found = problem_of("name", text, {})
    if found is None:
        return text
    fix = found.fix or text[:48].strip("-_")
    return fix if problem_of("name", fix, {}) is None else "my-ep"


def is_block(value: Value) -> bool:
    """Are these the lines of a list, rather than words with commas?"""
    return isinstance(value, str) and ("\n" in value.strip() or value.startswith("-"))


def _normal(name: str, value: Value) -> Value:
    if isinstance(value, bool):
        return value
    if name in ("ops", "types") and not is_block(value):
        return ", ".join(filter(None, _SEPARATORS.split(value)))
    return value.strip()


def _idle(name: str) -> tuple[str, str]:
    if name in ("vendor_id", "memory"):
        return f"{name}: there is no device that it would be of", "with device npu or gpu"
    if name == "save_compiled":
        return f"{name}: nothing is compiled", "with paradigm compiled or virtual"
    return f"{name}: it is always kernel-registry with device cuda", "leave it out"


def _problem(name: str, found: Diagnostic) -> Problem:
    expected = f"expected {found.expected}" if found.expected else ""
    # A number that is none is not to be guessed.
    cure = expected if found.code == "wrong-type" else found.hint or expected
    text = found.message if found.message.startswith(name) else f"{name}: {found.message}"
    return Problem(name, text, cure, found.fix.text if found.fix else "")


def _is_said(shape: BlueprintShape, name: str, value: Value) -> bool:
    """Does the blueprint say the answer, and nothing more than that?"""
    if name == "vendor_id":
        return value == "" or str(value).isalnum()
    return is_block(value) or _SAID[name](shape) == value


#: What the blueprint says, in the words of the answer: an answer is a value, and nothing more.
_SAID: Mapping[str, Callable[[BlueprintShape], Value]] = {
    "name": lambda shape: shape.name,
    "vendor": lambda shape: shape.vendor.name.strip(),
    "license": lambda shape: shape.license,
    "types": lambda shape: ", ".join(shape.types),
    "ops": lambda shape: ", ".join(each.op for each in shape.ops),
}
