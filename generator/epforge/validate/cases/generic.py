"""Cases of an op from its schema alone."""

from __future__ import annotations

from collections.abc import Iterator

from epforge.validate.cases.model import Ask, Case, Feed, dims


def from_schema(ask: Ask) -> Iterator[Case]:
    """Calls with every required input of one shape; none if the schema does not settle them.

    They may be refused, and count only when the reference can compute them.
    """
    from epforge.validate.worker.schema import find

    schema = find(ask.domain, ask.op, ask.since)
    if schema is None:
        return
    attributes = [a for a in schema.attributes.values() if a.required]
    if attributes or not schema.inputs:
        return
    needed = [i for i in schema.inputs if _word(i.option) == "single"]
    types = [ask.types.get(i.type_str) or _fixed(i.type_str) for i in needed]
    if not all(types):
        return
    for shape in ((2, 3), (2, 3, 4, 5), (0, 3)):
        feeds = tuple(Feed(ask.array(shape, t), t) for t in types if t)
        yield Case(f"{dims(shape)}, from the schema", feeds, {}, basic=False)


def _word(option: object) -> str:
    return str(option).rsplit(".", 1)[-1].lower()


def _fixed(type_str: str) -> str:
    """float32 for tensor(float); empty for what is no tensor."""
    from epforge.validate.worker.schema import tensor_type

    return tensor_type(type_str)
