"""Job that finds out what a library without a manifest takes: one-node models, ORT's record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epforge.validate.cases import TABLE, Ask, cases
from epforge.validate.worker import host, schema, session
from epforge.validate.worker.records import Records

_PREFERRED = ("float32", "int64", "bool", "uint8")
# com.microsoft is not in the onnx package: what is asked there.
_UNKNOWN_SCHEMA = {"T": ("float32", "float16", "float64")}


def run(job: Mapping[str, Any], records: Records) -> None:
    """Asks for every op of the table that is not in ``job["skip"]``; records claims."""
    with host.at_work(job, records) as found:
        newest = session.newest_opset()
        for domain, op in sorted(TABLE):
            name = f"{domain}::{op}" if domain else op
            if name in job["skip"] or not found:
                continue
            with records.step(name):
                for since in schema.versions(domain, op) or [1]:
                    types = _taken(found[0], job["ep"], Ask(domain, op, since, {}), newest)
                    if types:
                        records.write("claim", domain=domain, op=op, since=since, types=types)
            records.write("asked", name=name)


def _taken(device: Any, ep: str, ask: Ask, newest: int) -> dict[str, list[str]]:
    opsets = schema.opsets(ask.domain, ask.op, ask.since, newest)
    known = schema.find(ask.domain, ask.op, ask.since)
    allowed = schema.constraints(known) if known is not None else _UNKNOWN_SCHEMA
    if not opsets or (known is None and not ask.domain):
        return {}
    base = {name: _first(choices) for name, choices in allowed.items()}
    claimed: dict[str, list[str]] = {}
    for name, choices in allowed.items():
        for choice in choices:
            wanted = Ask(ask.domain, ask.op, ask.since, {**base, name: choice})
            if _takes(device, ep, wanted, opsets[0]):
                claimed.setdefault(name, []).append(choice)
    return claimed if len(claimed) == len(allowed) else {}


def _first(choices: tuple[str, ...]) -> str:
    return next((t for t in _PREFERRED if t in choices), choices[0])


def _takes(device: Any, ep: str, ask: Ask, opset: int) -> bool:
    try:
        case = next(cases(ask), None)
        if case is None:
            return False
        made = session.open_session(session.build(ask, case, opset), device, fallback=True)
    except Exception:  # not a valid model for these types, or nobody has a kernel: not taken
        return False
    return session.taken(made, ep)
