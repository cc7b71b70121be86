"""Small models that a library takes: to be made into sessions again and again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from epforge.validate.cases import Ask, Case, cases, custom
from epforge.validate.worker import schema, session
from epforge.validate.worker.blocks import FOREIGN, choose
from epforge.validate.worker.case import NotCheckedError
from epforge.validate.worker.engines import Engine
from epforge.validate.worker.ops import combinations
from epforge.validate.worker.sketch import Sketch

_LIKED = ("Relu", "Mul", "Add", "Sub", "Abs", "Neg", "Sigmoid")
_MOST = 12  # claims to try
_LENGTH = 2


def models(
    engine: Engine, device: Any, ep: str, claims: Sequence[Mapping[str, Any]]
) -> Iterator[session.Model]:
    """The model of one node, and one in which the CPU computes something between two parts that
    are the library's. Either may be lacking."""
    newest = engine.newest_opset()
    single = next(_singles(engine, device, claims, newest), None)
    if single:
        yield single
    parts = divided(engine, device, ep, claims, newest)
    if parts:
        yield parts


def _singles(
    engine: Engine, device: Any, claims: Sequence[Mapping[str, Any]], newest: int
) -> Iterator[session.Model]:
    ordered = sorted(claims, key=_how_liked)
    for claim in ordered[:_MOST]:
        for ask, case, opset in _asked(claim, newest):
            try:
                model = session.build(ask, case, opset)
                engine.open(model, device, fallback=model.has_graphs).run(None, model.feeds)
            except session.NotTakenError:
                continue
            except Exception:  # whatever is wrong with it is for other rungs to say
                continue
            yield model


def _how_liked(claim: Mapping[str, Any]) -> tuple[bool, int]:
    op = str(claim["op"])
    known = op in _LIKED and not claim["domain"]
    return not known, _LIKED.index(op) if known else 0


def _asked(claim: Mapping[str, Any], newest: int) -> Iterator[tuple[Ask, Case, int]]:
    domain, op, since = str(claim["domain"]), str(claim["op"]), int(claim["since"])
    own: custom.Schema | None = claim.get("custom")
    opsets = [since] if own else schema.opsets(domain, op, since, newest)
    if not opsets:
        return
    ask = Ask(domain, op, since, next(combinations(claim["types"])))
    found = list(custom.from_manifest(ask, own) if own else cases(ask))
    case = next((each for each in found if each.basic), None)
    if case:
        yield ask, case, opsets[0]


def divided(
    engine: Engine, device: Any, ep: str, claims: Sequence[Mapping[str, Any]], newest: int
) -> session.Model | None:
    """A model of three nodes: the library's, one that it leaves to the CPU, the library's."""
    blocks = choose(claims, newest)
    if not blocks.any:
        return None
    for foreign in FOREIGN:
        drawn = Sketch(replace(blocks, foreign=foreign))
        try:
            drawn.output(drawn.unary(drawn.foreign(drawn.unary(drawn.input()))))
        except NotCheckedError:
            return None
        proto = drawn.model()
        for node, name in zip(proto.graph.node, ("first", session.NODE, "last"), strict=False):
            node.name = name
        model = session.Model(proto.SerializeToString(), drawn.feeds(_LENGTH), proto)
        try:
            made = engine.open(model, device, fallback=True)
        except Exception:  # nobody computes that one in this opset
            continue
        if not engine.taken(made, ep):
            return model
    return None
