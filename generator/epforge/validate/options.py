"""The line `options` of rung `load`: what a library makes of the provider options it is given.

Rule R8; the application's way, so a library that looks for them under another prefix is found, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from epforge.validate.manifest import OptionClaim
from epforge.validate.model import Outcome
from epforge.validate.process import WorkerRun

UNKNOWN = "epforge_unknown"
DYNAMIC = "ep.dynamic."  # what changes while a session lives has this before its name
_NONSENSE = "epforge?"
_TRUTHS = {"0": False, "1": True, "false": False, "true": True}


def given(claims: Sequence[OptionClaim] | None) -> list[tuple[str, str]]:
    """What to ask for: an option that nobody has, and values that those declared must refuse.

    Args:
        claims: what is declared; None where nothing says so.
    """
    asked = [(UNKNOWN, "1")]
    for each in claims or ():
        asked += [(each.name, value) for value in _bad(each)]
    changing = [each for each in claims or () if each.dynamic]
    for each in changing:
        asked += [(DYNAMIC + each.name, value) for value in _bad(each)]
    return asked + ([(DYNAMIC + UNKNOWN, "1")] if changing else [])


def _bad(claim: OptionClaim) -> Iterator[str]:
    if claim.type != "string":
        yield _NONSENSE
    if claim.minimum is not None:
        yield str(claim.minimum - 1)
    if claim.maximum is not None:
        yield str(claim.maximum + 1)


def judge(run: WorkerRun, claims: Sequence[OptionClaim] | None) -> tuple[Outcome, str]:
    """Outcome and detail of what a worker found that ended well."""
    unknown = [record for record in run.named("option") if record["name"] == UNKNOWN]
    if not unknown:
        return Outcome.NOT_CHECKED, "no device to give options to"
    # A default that is refused fails each session: nothing else can be seen then.
    if wrong := [*_published(run, claims or ()), *_defaults(run, claims)]:
        return Outcome.FAILED, "; ".join(wrong)
    silent = _unknown(unknown[0], claims or ())
    wrong = [silent] if silent and claims is not None else []
    asked = set(given(claims))
    for record in run.named("option"):
        if record["name"] != UNKNOWN and (record["name"], record["value"]) in asked:
            wrong += _accepted(record)
    if wrong:
        return Outcome.FAILED, "; ".join(wrong)
    if silent:
        return Outcome.NOT_CHECKED, f"{silent}; nothing says which options there are"
    names = ", ".join(each.name for each in claims or ())
    return Outcome.PASSED, f"{names or 'none'}; unknown names and bad values are refused"


def _unknown(record: Mapping[str, Any], claims: Sequence[OptionClaim]) -> str:
    """What is wrong with the answer to an option that nobody has."""
    said = record["refusal"]
    if said is None:
        return f"the unknown option {UNKNOWN} is accepted, and nothing is said"
    lacking = [name for name in (UNKNOWN, *(c.name for c in claims)) if not _names(said, name)]
    if lacking:
        return f"the unknown option {UNKNOWN} is refused without naming {', '.join(lacking)}"
    return ""


def _accepted(record: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the answer to a bad value."""
    shown, said = f"{record['name']}={record['value']}", record["refusal"]
    if said is None:
        yield f"{shown} is accepted, and nothing is said"
    elif not _names(said, record["name"].removeprefix(DYNAMIC)):
        yield f"{shown} is refused without naming the option: {said[:200]}"


def _defaults(run: WorkerRun, claims: Sequence[OptionClaim] | None) -> Iterator[str]:
    """Defaults that are published and refused."""
    asked = set(given(claims))
    for record in run.named("option"):
        name, value, said = record["name"], record["value"], record["refusal"]
        if (name, value) not in asked and said is not None:
            yield f"{name}={value} is published as the default, but refused: {said[:200]}"


def _published(run: WorkerRun, claims: Sequence[OptionClaim]) -> Iterator[str]:
    """Where what the device publishes is not what is declared."""
    published = run.named("published")
    for claim in claims if published else ():
        found = published[0]["options"].get(claim.name)
        if found is None:
            yield f"{claim.name} is declared, but the device does not publish its default"
        elif not _same(claim, str(found)):
            yield f"{claim.name}={found} is published as the default, declared is {claim.default}"


def _same(claim: OptionClaim, text: str) -> bool:
    if claim.type == "bool":
        return _TRUTHS.get(text.lower()) is claim.default
    if claim.type in ("int", "float"):
        try:
            return float(text) == float(str(claim.default))
        except ValueError:
            return False
    return text == str(claim.default)


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
