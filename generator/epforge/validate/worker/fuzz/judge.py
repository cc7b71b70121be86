"""Does a library compute a random graph as the CPU provider does, and which node is to blame?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epforge.validate.cases.model import Array
from epforge.validate.worker import compare, session
from epforge.validate.worker.fuzz import known
from epforge.validate.worker.fuzz.draw import computed
from epforge.validate.worker.fuzz.graph import PLAIN, Graph, Step

_UNKNOWN = "No Op registered"  # how onnx says that it has no schema
_NUDGE = 1e-6  # relative; what may come of rounding


@dataclass(frozen=True)
class Verdict:
    """What is wrong with a graph; `wrong` is empty if nothing is.

    Args:
        kind: tells one sort of failure from another while a graph is made smaller.
    """

    wrong: str = ""
    kind: str = ""


GOOD = Verdict()


class Judge:
    """A library's device beside the CPU provider.

    Args:
        strict: what is claimed has to be taken.
    """

    def __init__(self, device: Any, ep: str, strict: bool) -> None:
        self._device, self._ep, self._strict = device, ep, strict

    def __call__(self, graph: Graph) -> Verdict:
        """Judges a graph. Where the CPU provider cannot compute it, there is nothing to say."""
        model = graph.model()
        expected = computed(model, graph.feeds)
        if expected is None:
            return GOOD
        sure = self._strict and graph.form == PLAIN and all(step.sure for step in graph.steps)
        sure = sure and not graph.level and not graph.through
        try:
            made = self._open(model.SerializeToString(), graph.level, fallback=not sure)
        except Exception as error:  # judged by its text
            text = session.one_line(error)
            if session.NOT_TAKEN in str(error):
                return self._not_taken(graph)
            if graph.level and not _opens_alone(graph):
                return GOOD  # the runtime's own optimisers break it
            return Verdict(f"no session: {text}", "no session")
        try:
            got, again = made.run(None, graph.feeds), made.run(None, graph.feeds)
        except Exception as error:  # judged by its text, too
            text = session.one_line(error)
            return GOOD if known.is_right(text) else Verdict(f"it cannot be run: {text}", "no run")
        wrong = difference(got, expected)
        if not wrong:
            unsteady = difference(again, expected)
            return Verdict(f"the second run differs: {unsteady}", "again") if unsteady else GOOD
        return self._blamed(graph, got, expected, wrong)

    def _open(self, data: bytes, level: int, *, fallback: bool) -> Any:
        import onnxruntime

        options = session.options(fallback)
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel(level)
        options.add_provider_for_devices([self._device], {})
        return onnxruntime.InferenceSession(data, options, enable_fallback=0)

    def _not_taken(self, graph: Graph) -> Verdict:
        """A claimed node is left to the CPU: which?"""
        made = self._open(graph.model().SerializeToString(), 0, fallback=True)
        ours = {
            node.name
            for part in made.get_provider_graph_assignment_info()
            for node in part.get_nodes()
            if part.ep_name == self._ep
        }
        left = [step.name for step in graph.steps if step.node.name not in ours]
        what = left[0] if left else "a node"
        return Verdict(f"{what} is declared, but not taken", f"not taken {what}")

    # ---- whose fault is it? ----

    def _blamed(
        self, graph: Graph, got: Sequence[Array], expected: Sequence[Array], wrong: str
    ) -> Verdict:
        """A difference that is more than rounding, which grows along a graph."""
        if not _same_kind(got, expected):
            return Verdict(f"{graph.describe()}: {wrong}", "shape")
        if graph.level and _differs_alone(graph, expected):
            return GOOD  # the runtime's own optimisers change it
        open_graph = replace(graph, level=0, form=PLAIN, through=frozenset())
        open_graph = replace(open_graph, outputs=graph.values)
        try:
            data = open_graph.model().SerializeToString()
            found = self._open(data, 0, fallback=True).run(None, graph.feeds)
        except Exception:  # what no node can be blamed for is wrong all the same
            return Verdict(f"{graph.describe()}: {wrong}", "values")
        if any(each is None for each in found):
            return Verdict(f"{graph.describe()}: {wrong}", "values")
        values = {**graph.constants, **graph.feeds, **dict(zip(graph.values, found, strict=True))}
        for step in graph.steps:
            if culprit := _wrong_step(step, values):
                return Verdict(f"{step.name}: {culprit}", f"values {step.name}")
        if graph.form == PLAIN and not difference(got, [values[name] for name in graph.outputs]):
            return GOOD  # every node is right: what is left is rounding
        if _is_sensitive(graph, expected):
            return GOOD
        what = "right when every value is an output; otherwise"
        return Verdict(f"{graph.describe()}: {what} {wrong}", "hidden")


def difference(got: Sequence[Array | None], expected: Sequence[Array]) -> str:
    """How two results differ, whatever they were computed in."""
    if any(each is None for each in got):
        return "an output is never computed"
    tolerance = {**compare.USUAL, "float64": compare.USUAL["float32"]}
    with np.errstate(all="ignore"):
        made = [each for each in got if each is not None]
        return compare.difference(made, expected, True, tolerance)


def is_invalid(graph: Graph) -> bool:
    """Does ONNX forbid a graph with inputs of these shapes? The CPU provider computes some such."""
    import onnx

    model = graph.model()
    for each in model.graph.input:
        shape = each.type.tensor_type.shape
        del shape.dim[:]
        for size in graph.feeds[each.name].shape:
            shape.dim.add(dim_value=size)
    try:
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    except Exception as error:  # the rules of ONNX, each with a text
        return _UNKNOWN not in str(error)
    return False


def _same_kind(got: Sequence[Array], expected: Sequence[Array]) -> bool:
    pairs = zip(got, expected, strict=True)
    return all(a is not None and a.dtype == b.dtype and a.shape == b.shape for a, b in pairs)


def _wrong_step(step: Step, values: Mapping[str, Array]) -> str:
    """What is wrong with a node, by what went into it."""
    expected = computed(step.alone, {name: values[key] for name, key in step.fed.items()})
    if expected is None:
        return ""
    got = [values[key] for key in step.made.values()]
    empty = any(not values[key].size for key in step.fed.values())
    if known.may_be_undefined(step.name, empty):
        expected = [_without_nan(a, b) for a, b in zip(expected, got, strict=True)]
    tolerance = {**compare.tolerance_of(step.ask), "float64": compare.USUAL["float32"]}
    with np.errstate(all="ignore"):
        wrong = compare.difference(got, expected, True, tolerance)
    if not wrong:
        return ""
    shapes = ", ".join(f"{v.dtype}{list(v.shape)}" for k in step.fed.values() for v in [values[k]])
    return f"{wrong}, of {shapes}"


def _without_nan(expected: Array, got: Array) -> Array:
    same = expected.shape == got.shape and expected.dtype == got.dtype
    return np.where(np.isnan(expected) | np.isnan(got), got, expected) if same else expected


def _differs_alone(graph: Graph, expected: Sequence[Array]) -> bool:
    """Does the CPU provider alone compute something else when the graph is optimised?"""
    try:
        return bool(difference(_optimised(graph).run(None, graph.feeds), expected))
    except Exception:  # the runtime's own optimisers break it
        return True


def _opens_alone(graph: Graph) -> bool:
    """Is there a session without the library when the graph is optimised?"""
    try:
        _optimised(graph)
    except Exception:  # it has no class of its own for that
        return False
    return True


def _optimised(graph: Graph) -> Any:
    """A session of the CPU provider alone. Whatever it raises is the runtime's doing."""
    import onnxruntime

    options = session.options(fallback=True)
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel(graph.level)
    return onnxruntime.InferenceSession(
        graph.model().SerializeToString(),
        options,
        providers=["CPUExecutionProvider"],
        enable_fallback=0,
    )


def _is_sensitive(graph: Graph, expected: Sequence[Array]) -> bool:
    """Do the CPU provider's own results change when its inputs do by as much as rounding does?"""
    random = np.random.default_rng(0)

    def nudged(array: Array) -> Array:
        if array.dtype.kind != "f":
            return array
        return np.asarray(array * (1 + random.uniform(-_NUDGE, _NUDGE, array.shape)), array.dtype)

    for _ in range(4):
        near = replace(
            graph, constants={name: nudged(each) for name, each in graph.constants.items()}
        )
        feeds = {name: nudged(each) for name, each in graph.feeds.items()}
        found = computed(near.model(), feeds)
        if found is None or difference(found, expected):
            return True
    return False
