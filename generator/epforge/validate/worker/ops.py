"""Job of rung `ops`: everything that is claimed of one operator, in one process."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from epforge.validate.cases import TABLE, Ask, Case, cases, custom
from epforge.validate.cases.model import DTYPES, NUMPY, Feed
from epforge.validate.worker import compare, host, schema, session, values
from epforge.validate.worker.covering import Covering, always_bound, bound_by, targets
from epforge.validate.worker.engines import Engine, engine_of
from epforge.validate.worker.records import Records

_MOST_COMBINATIONS = 256
_UNKNOWN_TO_NUMPY = "No corresponding Numpy type"  # how onnxruntime says it of a result
# Types that nobody else may compute in, or not together: all of them are computed as float32 then.
_WIDE = frozenset({"float16", "bfloat16", "float64"})
# How ORT says that what the library has left to others nobody else has a kernel for.
_ORPHANED = ("Could not find an implementation", "Failed to find kernel")
# How ORT says that no provider has a kernel; the second with device memory in the session.
NOBODY = ("NOT_IMPLEMENTED", "IsNodeCompatibleWithProvider")


def run(job: Mapping[str, Any], records: Records) -> None:
    """Runs every case that is not in ``job["skip"]`` and records how each went.

    ``job["batch"]`` are the jobs of several operators, one after the other in this process; with
    ``job["brief"]`` one model of each since-version is enough.
    """
    with engine_of(job) as engine, host.at_work(job, records, engine) as found:
        if not found:
            records.write("error", type="NoDevice", text=f"no device of {job['ep']}")
            return
        for index, each in enumerate(job.get("batch") or [{}]):
            started = time.monotonic()
            records.write("operator", index=index)
            operator = Operator({**job, **each}, records, engine, found[0])
            if job.get("brief"):
                operator.run_brief()
            else:
                operator.run()
            records.write("operator done", index=index, seconds=time.monotonic() - started)


class Operator:
    """An operator as a job claims it, on a library at work."""

    def __init__(
        self, job: Mapping[str, Any], records: Records, engine: Engine, device: Any
    ) -> None:
        self._domain, self._op, self._ep = job["domain"], job["op"], job["ep"]
        self._claims = job["claims"]
        self._declared = bool(job["declared"])
        self._converted = bool(job.get("converted"))
        self._converts = bool(job.get("converts"))
        self._custom: custom.Schema | None = job.get("custom")
        self._library = str(job.get("custom_ops_library") or "")
        self._refusals = (f"{self._domain}::{self._op} node ",) if self._custom else ()
        # The program on another machine has tensors of what numpy has alone.
        self._readable = frozenset(NUMPY if "host" in job else DTYPES)
        self._done = set(job["skip"])
        self._covering = Covering(bool(job.get("thorough", True)))
        self._records = records
        self._engine = engine
        self._device = device
        self._newest = engine.newest_opset()

    def run(self) -> None:
        if self._custom and self._custom["kernel"] == "elsewhere":
            self._elsewhere(self._custom)
            return
        for since, types, opsets in self._ready():
            self._declared_types(since, types, opsets)
            self._undeclared_types(since, types, opsets[0])
        chosen = self._covering
        self._records.write("models", run=chosen.run, left_out=chosen.left_out)

    def run_brief(self) -> None:
        """Runs one model per since-version."""
        for since, types, opsets in self._ready():
            self._first(Ask(self._domain, self._op, since, next(combinations(types))), opsets[0])

    def run_one_each(self) -> list[int]:
        """Runs one model per since-version and combination of types; returns the since-versions
        that are claimed and no stubs."""
        done = []
        for since, types, opsets in self._ready():
            done.append(since)
            for chosen in combinations(types):
                self._first(Ask(self._domain, self._op, since, chosen), opsets[0])
        return done

    def _ready(self) -> Iterator[tuple[int, Mapping[str, list[str]], list[int]]]:
        """The claims that are no stubs: since-version, types, opsets that have it."""
        for claim in self._claims:
            since = int(claim["since"])
            opsets = schema.opsets(self._domain, self._op, since, self._newest)
            if not opsets:
                why = f"this runtime knows opsets up to {self._newest}"
                self._write(f"since {since}", "not checked", why)
            elif claim["ready"] or not self._is_stub(since, claim["types"], opsets[0]):
                yield since, claim["types"], opsets

    def _cases(self, ask: Ask) -> Iterator[Case]:
        return custom.from_manifest(ask, self._custom) if self._custom else cases(ask)

    def _elsewhere(self, schema: custom.Schema) -> None:
        """Another library computes it: it must not be taken here."""
        since = int(schema["version"])
        ask = Ask(self._domain, self._op, since, next(combinations(schema["types"])))
        label = f"since {since}, elsewhere"
        if label not in self._done:
            with self._records.step(label):
                outcome, detail = self._left_alone(ask, next(self._cases(ask)), since)
            self._write(label, outcome, detail, "left alone")

    def _write(self, label: str, outcome: str, detail: str = "", kind: str = "run") -> None:
        self._records.write("case", label=label, outcome=outcome, detail=detail, kind=kind)

    def _first(self, ask: Ask, opset: int) -> None:
        """The first case that whoever claims these types must take."""
        types = spelled(ask.types)
        found = list(self._cases(ask))
        case = next((each for each in found if each.basic), found[0] if found else None)
        if case is None and (ask.domain, ask.op) in TABLE:  # these types do not go together
            return
        label = f"since {ask.since}, {types}: {case.label if case else 'no model'}"
        self._records.write("model", label=label, since=ask.since, types=types)
        if case is None:
            self._write(label, "not checked", "no case for this op", "no case")
        else:
            self._one(label, ask, case, opset)

    def _declared_types(
        self, since: int, types: Mapping[str, list[str]], opsets: list[int]
    ) -> None:
        loose = self._loose(since, types)
        for chosen in combinations(types):
            text = spelled(chosen)
            some = False
            ask = Ask(self._domain, self._op, since, chosen)
            for index, case in enumerate(self._cases(ask)):
                some = True
                for opset in opsets if index == 0 else opsets[:1]:
                    more = "" if opset == opsets[0] else f", opset {opset}"
                    label = f"since {since}, {text}: {case.label}{more}"
                    bound = dict.fromkeys((*bound_by(ask, case), *loose))
                    reached = targets(ask, case, opset, tuple(bound))
                    if self._covering.wants(reached):
                        judged = self._one(label, ask, case, opset)
                        self._covering.note(reached, judged)
            if not some:
                self._write(
                    f"since {since}, {text}", "not checked", "no case for this op", "no case"
                )

    def _loose(self, since: int, types: Mapping[str, list[str]]) -> set[str]:
        """The type constraints that no call is known to settle."""
        ask = Ask(self._domain, self._op, since, next(combinations(types)))
        return always_bound(types, [bound_by(ask, case) for case in self._cases(ask)])

    def _one(self, label: str, ask: Ask, case: Case, opset: int) -> bool:
        """Runs a model and records how it went. Was it computed and compared?"""
        if label in self._done:
            return True
        types = {*ask.types.values(), *(feed.type for feed in case.inputs if feed is not None)}
        if unknown := sorted(types - self._readable):
            self._write(label, "not checked", f"no array here holds {', '.join(unknown)}")
            return False
        with self._records.step(label):
            outcome, detail = self._compared(ask, case, opset)
        self._write(label, outcome, detail)
        return outcome != "not checked"

    def _compared(self, ask: Ask, case: Case, opset: int) -> tuple[str, str]:
        """Outcome and detail of one model."""
        try:
            model = session.build(ask, case, opset)
        except Exception as error:
            return "not checked", f"cannot be made into a model: {session.one_line(error)}"
        expected = self._expected(ask, case, opset, model)
        try:
            got = values.fed(self.open(model), model.feeds)
        except session.NotTakenError:
            if case.basic and self._declared:
                reason = self._engine.why_not_taken(model, self._device, self._op)
                return "failed", f"declared, but not taken{reason and f': {reason}'}"
            return "not checked", "refused"
        except Exception as error:
            if _UNKNOWN_TO_NUMPY in str(error):  # it has been computed
                return "not checked", "numpy has no such type"
            if not case.basic and any(sign in str(error) for sign in _ORPHANED):
                return "not checked", "refused"
            if not self._declared and session.alone(model) == session.one_line(error):
                return "not checked", "refused"  # nobody computes it, and ORT says so of itself
            if expected.by:
                return "failed", session.one_line(error)
            return "not checked", f"no reference: {expected.why}"
        if not expected.by:
            return "not checked", f"no reference: {expected.why}"
        outputs = expected.outputs
        if missing := compare.unset(got, outputs):
            return "failed", missing
        if expected.by != "cpu":  # the numpy of onnx promotes types, where ONNX does not
            outputs = tuple(b.astype(a.dtype) for a, b in zip(got, outputs, strict=True))
        tolerance = compare.tolerance_of(ask, expected.by)
        wrong = compare.difference(got, outputs, case.defined, tolerance)
        if wrong and expected.by == "onnx" and opset < schema.ORT_LOWEST:
            return "not checked", f"no sure reference below opset {schema.ORT_LOWEST}: {wrong}"
        return ("failed", wrong) if wrong else ("passed", "")

    def open(self, model: session.Model) -> Any:
        """A session in which the library has the node.

        Raises NotTakenError, and whatever ORT raises.
        """
        if self._converted:
            return self._engine.open_converted(model, self._device, self._ep)
        made = self._engine.open(model, self._device, fallback=model.has_graphs)
        # Where layouts are converted, older runtimes record nothing. But the CPU was forbidden.
        if not self._converts and not self._engine.taken(made, self._ep):
            raise session.NotTakenError
        return made

    def _expected(
        self, ask: Ask, case: Case, opset: int, model: session.Model
    ) -> session.Reference:
        """What a model should compute. What the CPU computes in float32 alone is computed in that,
        from the same numbers."""
        found = self._reference(model)
        if found.by == "cpu" or self._custom or _WIDE.isdisjoint(ask.types.values()):
            return found
        try:
            wide = self._reference(session.build(*widened(ask, case), opset))
        except Exception:  # there is no such model
            return found
        return replace(wide, by="float32") if wide.by == "cpu" else found

    def _reference(self, model: session.Model) -> session.Reference:
        if self._custom and not self._library:
            return session.Reference((), "", "no library of the custom ops beside this one")
        return self._engine.reference(model, self._library)

    def _is_stub(self, since: int, types: Mapping[str, list[str]], opset: int) -> bool:
        """Is an op that was generated as a stub still one? Its owner may have made it ready."""
        chosen = next(combinations(types))
        ask = Ask(self._domain, self._op, since, chosen)
        case = next(self._cases(ask), None)
        if case is None:
            self._write(f"since {since}", "not checked", "no case for this op", "no case")
            return True
        label = f"since {since}, not ready"
        with self._records.step(label):
            outcome, detail = self._left_alone(ask, case, opset)
        if outcome == "failed":
            return False
        if label not in self._done:
            self._write(label, outcome, detail, "left alone")
        return True

    def _undeclared_types(self, since: int, types: Mapping[str, list[str]], opset: int) -> None:
        """Types that are not declared must not be taken."""
        if self._custom:
            self._undeclared_types_of(self._custom, since, types, opset)
            return
        known = schema.find(self._domain, self._op, since) if self._declared else None
        if known is None:
            return
        first = next(combinations(types))
        for name, choices in schema.constraints(known).items():
            for choice in choices:
                label = f"since {since}, undeclared {name}={choice}"
                if choice in types.get(name, choices) or label in self._done:
                    continue
                if choice.startswith("complex"):  # no tensor of ORT's holds them
                    continue
                ask = Ask(self._domain, self._op, since, {**first, name: choice})
                case = next(self._cases(ask), None)
                if case is None or not schema.binds(known, name, _present(case), case.outputs):
                    continue
                with self._records.step(label):
                    outcome, detail = self._left_alone(ask, case, opset)
                self._write(label, outcome, detail, "left alone")

    def _undeclared_types_of(
        self, schema: custom.Schema, since: int, types: Mapping[str, list[str]], opset: int
    ) -> None:
        first = next(combinations(types))
        for name, choice in custom.undeclared(schema):
            label = f"since {since}, undeclared {name}={choice}"
            if label in self._done:
                continue
            ask = Ask(self._domain, self._op, since, {**first, name: choice})
            with self._records.step(label):
                outcome, detail = self._left_alone(ask, next(self._cases(ask)), opset)
            self._write(label, outcome, detail, "left alone")

    def _left_alone(self, ask: Ask, case: Case, opset: int) -> tuple[str, str]:
        try:
            model = session.build(ask, case, opset)
            made = self._engine.open(model, self._device, fallback=True)
        except Exception as error:
            # No other provider has a kernel for it either: nobody took it.
            text = session.one_line(error)
            # A custom op has a kernel on the CPU that says no: by the op's name.
            orphan = any(sign in text for sign in (*NOBODY, *self._refusals))
            return ("passed", "") if orphan else ("not checked", text)
        if self._engine.taken(made, self._ep):
            return "failed", "taken, but not declared"
        return "passed", ""


def _present(case: Case) -> list[int]:
    return [index for index, feed in enumerate(case.inputs) if feed is not None]


def spelled(types: Mapping[str, str]) -> str:
    """ "T=float32, T1=int64": one element type per type constraint."""
    return ", ".join(f"{constraint}={type_}" for constraint, type_ in types.items())


def widened(ask: Ask, case: Case) -> tuple[Ask, Case]:
    """The same call with float32 in the place of other floats."""
    types = {name: "float32" if type_ in _WIDE else type_ for name, type_ in ask.types.items()}
    inputs = tuple(
        Feed(feed.value.astype("float32"), "float32", feed.constant)
        if feed is not None and feed.type in _WIDE
        else feed
        for feed in case.inputs
    )
    attributes = {
        key: "float32" if key in session.TYPES and _is_wide(value) else value
        for key, value in case.attributes.items()
    }
    return replace(ask, types=types), replace(case, inputs=inputs, attributes=attributes)


def _is_wide(value: object) -> bool:
    """Does an attribute's value name such a type, in a word or by its number?"""
    return any(value in (name, session.onnx_type(name)) for name in _WIDE)


def combinations(types: Mapping[str, list[str]]) -> Iterator[dict[str, str]]:
    """All assignments of types to constraints. If they are too many: one constraint at a time, and
    one type for all."""
    names = [name for name, values in types.items() if values]
    count = 1
    for name in names:
        count *= len(types[name])
    if count <= _MOST_COMBINATIONS:
        for chosen in itertools.product(*(types[name] for name in names)):
            yield dict(zip(names, chosen, strict=True))
        return
    first = {name: types[name][0] for name in names}
    yield first
    for name in names:
        for other in types[name][1:]:
            yield {**first, name: other}
    for one in types[names[0]]:
        if one != first[names[0]] and all(one in types[name] for name in names):
            yield dict.fromkeys(names, one)
