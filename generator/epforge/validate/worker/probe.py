"""Job that finds out what a library without a manifest takes: one-node models, ORT's record."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any

from epforge.validate.cases import TABLE, Ask, cases
from epforge.validate.worker import host, schema, session
from epforge.validate.worker.records import Records

_PREFERRED = ("float32", "int64", "bool", "uint8")
# com.microsoft is not in the onnx package: what is asked there.
_UNKNOWN_SCHEMA = {"T": ("float32", "float16", "float64")}


class _Answer(Enum):
    TAKEN = auto()
    LEFT = auto()  # to the CPU, which has a kernel
    NOBODY = auto()  # has it, or there is no such model


def run(job: Mapping[str, Any], records: Records) -> None:
    """Asks for every op of the table that is not in ``job["skip"]``; records claims, and versions
    between two claims that are left to the CPU."""
    with host.at_work(job, records) as found:
        newest = session.newest_opset()
        for domain, op in sorted(TABLE):
            name = f"{domain}::{op}" if domain else op
            if name in job["skip"] or not found:
                continue
            with records.step(name):
                _ask(domain, op, found[0], job["ep"], newest, records)
            records.write("asked", name=name)


def _ask(domain: str, op: str, device: Any, ep: str, newest: int, records: Records) -> None:
    """Asks for every version of one op."""
    claims: dict[int, dict[str, list[str]]] = {}
    left: dict[int, set[tuple[str, str]]] = {}
    for since in schema.versions(domain, op) or [1]:
        records.write("asking", since=since)  # a sign of progress
        types, others = _taken(device, ep, Ask(domain, op, since, {}), newest)
        if types:
            claims[since] = types
            records.write("claim", domain=domain, op=op, since=since, types=types)
        elif others:
            left[since] = others
    for since, others in left.items():
        before = [each for each in claims if each < since]
        after = [each for each in claims if each > since]
        if not before or not after:
            continue
        both = _pairs(claims[max(before)]) & _pairs(claims[min(after)]) & others
        if both:
            records.write(
                "gap", domain=domain, op=op, since=since, between=[max(before), min(after)]
            )


def _pairs(types: Mapping[str, list[str]]) -> set[tuple[str, str]]:
    return {(name, type_) for name, choices in types.items() for type_ in choices}


def _taken(
    device: Any, ep: str, ask: Ask, newest: int
) -> tuple[dict[str, list[str]], set[tuple[str, str]]]:
    """The types that are taken, per constraint, and those that are left to the CPU."""
    opsets = schema.opsets(ask.domain, ask.op, ask.since, newest)
    known = schema.find(ask.domain, ask.op, ask.since)
    allowed = schema.constraints(known) if known is not None else _UNKNOWN_SCHEMA
    if not opsets or (known is None and not ask.domain):
        return {}, set()
    base = {name: _first(choices) for name, choices in allowed.items()}
    claimed: dict[str, list[str]] = {}
    left: set[tuple[str, str]] = set()
    for name, choices in allowed.items():
        for choice in choices:
            wanted = Ask(ask.domain, ask.op, ask.since, {**base, name: choice})
            answer = _answer(device, ep, wanted, opsets[0])
            if answer is _Answer.TAKEN:
                claimed.setdefault(name, []).append(choice)
            elif answer is _Answer.LEFT:
                left.add((name, choice))
    return (claimed if len(claimed) == len(allowed) else {}), left


def _first(choices: tuple[str, ...]) -> str:
    return next((t for t in _PREFERRED if t in choices), choices[0])


def _answer(device: Any, ep: str, ask: Ask, opset: int) -> _Answer:
    try:
        case = next(cases(ask), None)
        if case is None:
            return _Answer.NOBODY
        made = session.open_session(session.build(ask, case, opset), device, fallback=True)
    except Exception:  # not a valid model for these types, or nobody has a kernel: not taken
        return _Answer.NOBODY
    return _Answer.TAKEN if session.taken(made, ep) else _Answer.LEFT
