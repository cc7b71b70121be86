"""Draws random graphs of what a library claims, from the samples that rung `ops` has of its ops.

A graph grows node by node. Each new node is computed by the CPU provider at once, so what is drawn
is right, and the values that there are to go on with are known.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from epforge.validate.cases import TABLE, Ask, Case, cases
from epforge.validate.cases.model import Array, Feed
from epforge.validate.worker import schema, session
from epforge.validate.worker.fuzz import known
from epforge.validate.worker.fuzz.graph import IF, LOOP, PLAIN, Graph, Input, Step
from epforge.validate.worker.ops import combinations

_TYPES = frozenset(
    ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
) | {"bool"}
_OLDEST, _MOST_NODES = 11, 12
_LARGEST = 20_000  # elements of a value that others may use
_HIGH = 1e4  # numbers above that are left as they are: the next node would overflow
_TRIES = 60
_GRAPHS = frozenset({"If", "Loop", "Scan"})


class Menu:
    """What graphs of one opset are made of.

    Args:
        claims: domain, op, since and types of what the library takes.
    """

    def __init__(self, claims: Sequence[Mapping[str, Any]], opset: int) -> None:
        self.opset = opset
        self.ours = [ask for ask in _claimed(claims, opset) if _cases(_key(ask))]
        self._claimed = {_key(ask) for ask in self.ours}

    def foreign(self, chance: random.Random) -> Ask | None:
        """An operator, or types of it, that the library does not claim; None if none was found."""
        domain, op = chance.choice(_ALL)
        since = _since(domain, op, self.opset)
        found = schema.find(domain, op, since) if since and not domain else None
        if found is None or op in _GRAPHS:
            return None
        allowed = {
            name: [each for each in types if each in _TYPES]
            for name, types in schema.constraints(found).items()
        }
        if not all(allowed.values()):
            return None
        ask = Ask(domain, op, since, {name: chance.choice(each) for name, each in allowed.items()})
        return None if _key(ask) in self._claimed or known.unsure(ask) else ask


_ALL = sorted(TABLE)
_Key = tuple[str, str, int, tuple[tuple[str, str], ...]]


def _key(ask: Ask) -> _Key:
    return (ask.domain, ask.op, ask.since, tuple(sorted(ask.types.items())))


@lru_cache(4096)
def _cases(key: _Key) -> tuple[Case, ...]:
    """The samples of an operator that say which numbers come out, in types that numpy has."""
    ask = Ask(key[0], key[1], key[2], dict(key[3]))
    return tuple(
        case
        for case in cases(ask)
        if case.defined and all(f is None or f.type in _TYPES for f in case.inputs)
    )


def _since(domain: str, op: str, opset: int) -> int:
    """The version of an operator that models of an opset use; 0 if there is none."""
    if domain:
        return 1
    return max((v for v in schema.versions(domain, op) if v <= opset), default=0)


def _claimed(claims: Sequence[Mapping[str, Any]], opset: int) -> Iterator[Ask]:
    """The claims that count in an opset, with each combination of types that numpy has."""
    for claim in claims:
        domain, op, since = str(claim["domain"]), str(claim["op"]), int(claim["since"])
        if (domain, op) not in TABLE or op in _GRAPHS or since != _since(domain, op, opset):
            continue
        types = {
            name: [each for each in found if each in _TYPES]
            for name, found in claim["types"].items()
        }
        if not all(types.values()):
            continue
        for chosen in combinations(types):
            ask = Ask(domain, op, since, chosen)
            if not known.unsure(ask):
                yield ask


class Drawing:
    """A graph in the making."""

    def __init__(self, menu: Menu, chance: random.Random) -> None:
        self._menu, self._chance = menu, chance
        self._steps: list[Step] = []
        self._inputs: dict[str, Input] = {}
        self._constants: dict[str, Array] = {}
        self._values: dict[str, Array] = {}  # what further nodes may use
        self._foreign = chance.choice((0.0, 0.0, 0.15, 0.4))
        self._count = 0

    def graph(self) -> Graph | None:
        """The graph; None where nothing came of it."""
        chance, wanted = self._chance, self._chance.randrange(2, _MOST_NODES + 1)
        for _ in range(_TRIES):
            if len(self._steps) >= wanted:
                break
            self._grow()
        if not self._steps:
            return None
        made = [name for step in self._steps for name in step.made.values()]
        read = {name for step in self._steps for name in step.node.input}
        ends = [name for name in made if name not in read]
        more = [name for name in made if name in read and chance.random() < 0.15]
        form = chance.choice((*[PLAIN] * 6, IF, LOOP))
        through = frozenset(name for name in self._constants if chance.random() < 0.15)
        return Graph(
            opset=self._menu.opset,
            steps=tuple(self._steps),
            inputs=self._inputs,
            constants=self._constants,
            outputs=(*ends, *more),
            form=form,
            level=chance.choice((0, 0, 1, 99)),
            through=through,
        )

    def _grow(self) -> None:
        """One more node, if what was chosen can be computed."""
        chance = self._chance
        ask = chance.choice(self._menu.ours) if self._menu.ours else None
        ours = chance.random() >= self._foreign
        if not ours or ask is None:
            ask, ours = self._menu.foreign(chance), False
        found = _cases(_key(ask)) if ask else ()
        if ask is None or not found:
            return
        case = chance.choice(found)
        try:
            alone = session.build(ask, case, self._menu.opset)
        except Exception:  # onnx has its own view of some samples
            return
        given = [self._chosen(case, index, feed, ours) for index, feed in enumerate(case.inputs)]
        proto = _all_fed(alone.proto)
        feeds = {f"i{n}": array for n, each in enumerate(given) if each for _, array in [each]}
        outputs = computed(proto, feeds)
        if outputs is not None:
            self._add(ask, case, proto, given, outputs, ours)

    def _chosen(
        self, case: Case, index: int, feed: Feed | None, ours: bool
    ) -> tuple[str, Array] | None:
        """What goes into an input: a value of the graph where one suits, else a new one. The name
        of a new one is empty; a constant stays what it is."""
        if feed is None:
            return None
        array, chance = feed.value, self._chance
        if feed.constant:
            return "", array
        suiting = [name for name, each in self._values.items() if suits(each, array, case)]
        if suiting and chance.random() < 0.85:
            name = chance.choice(suiting[-4:] if chance.random() < 0.6 else suiting)
            return name, self._values[name]
        if array.dtype.kind in "fb":  # the same numbers in another order are as good
            order = np.random.default_rng(chance.getrandbits(32))
            array = order.permutation(array.ravel()).reshape(array.shape)
        return "", array

    def _add(
        self,
        ask: Ask,
        case: Case,
        alone: Any,
        given: Sequence[tuple[str, Array] | None],
        outputs: Sequence[Array],
        ours: bool,
    ) -> None:
        names, fed = [], {}
        for index, each in enumerate(given):
            if each is None:
                names.append("")
                continue
            name = each[0] or self._source(each[1], bool(_feed(case, index).constant))
            names.append(name)
            fed[f"i{index}"] = name
        made = {f"o{n}": self._name("v") for n in range(len(outputs))}
        node = type(alone.graph.node[0])()
        node.CopyFrom(alone.graph.node[0])
        del node.input[:], node.output[:]
        node.input.extend(names)
        node.output.extend(made.values())
        node.name = self._name("n")
        self._steps.append(Step(ask, node, alone, fed, made, case.basic and ours))
        for key, array in zip(made.values(), outputs, strict=True):
            if _usable(array):
                self._values[key] = array

    def _source(self, array: Array, constant: bool) -> str:
        """The name of a new input, or of a new constant."""
        chance = self._chance
        if constant or chance.random() < 0.25:
            name = self._name("k")
            self._constants[name] = array
            return name
        name = self._name("x")
        dims: tuple[int | str | None, ...] | None = tuple(
            chance.choice((size, size, f"{name}_{axis}", None))
            for axis, size in enumerate(array.shape)
        )
        self._inputs[name] = Input(array, dims if chance.random() < 0.9 else None)
        if _usable(array):
            self._values[name] = array
        return name

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"


def _feed(case: Case, index: int) -> Feed:
    found = case.inputs[index]
    assert found is not None
    return found


def _usable(array: Array) -> bool:
    """May other nodes use it? What overflows, or is undefined, goes no further."""
    if array.dtype.kind not in "fiub" or array.size > _LARGEST:
        return False
    if array.dtype.kind == "b" or not array.size:
        return True
    return bool(np.isfinite(array).all() and np.abs(array.astype(np.float64)).max() < _HIGH)


def suits(value: Array, wanted: Array, case: Case) -> bool:
    """May a value stand for a sample's? It has its type, and a shape that may do; whole numbers,
    which are sizes, axes and divisors, stay within the sample's."""
    if value.dtype != wanted.dtype:
        return False
    if value.shape != wanted.shape and (wanted.dtype.kind != "f" or value.ndim > 5):
        return False
    if value.dtype.kind not in "iu":
        return True
    if not value.size or not wanted.size:
        return value.size == wanted.size
    return bool(wanted.min() <= value.min() and value.max() <= wanted.max())


def _all_fed(model: Any) -> Any:
    """The model of one node in which constants are inputs, too: whoever runs it gives them all."""
    from onnx import helper

    known_inputs = {each.name for each in model.graph.input}
    for tensor in model.graph.initializer:
        if tensor.name not in known_inputs:
            sizes = list(tensor.dims)
            model.graph.input.append(
                helper.make_tensor_value_info(tensor.name, tensor.data_type, sizes)
            )
    return model


def computed(model: Any, feeds: Mapping[str, Array]) -> list[Array] | None:
    """What the CPU provider computes for a model; None where it does not."""
    import onnxruntime

    try:
        made = onnxruntime.InferenceSession(
            model.SerializeToString(),
            session.options(fallback=True),
            providers=["CPUExecutionProvider"],
            enable_fallback=0,
        )
        found = made.run(None, dict(feeds))
    except Exception:  # not a model for these values: another one is drawn
        return None
    return found if all(isinstance(each, np.ndarray) for each in found) else None


def menus(claims: Sequence[Mapping[str, Any]], newest: int) -> dict[int, Menu]:
    """The menus of all opsets in which the library claims something, by opset."""
    found = {opset: Menu(claims, opset) for opset in range(_OLDEST, newest + 1)}
    return {opset: menu for opset, menu in found.items() if menu.ours}
