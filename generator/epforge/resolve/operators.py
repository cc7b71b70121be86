"""Operators: which versions, which element types, whose kernel.

How the defaults come about:

* **kernel**: generated where a family has the operator, else yours.
* **models**: the opsets of every since-version the family implements. Of an operator without a
  family: those of the newest version and of the versions before it with the same signature, since
  one stub reads them all.
* **types**: the blueprint's ``types``, as far as schema and family allow them, for the main type
  constraint; all that schema and family allow where that leaves nothing, and for every other
  constraint, but 16-bit floats only where the blueprint names them. A version for which nothing is
  left is not registered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from epforge.blueprint.diagnostic import listed, show, suggest
from epforge.blueprint.nodes import Path
from epforge.blueprint.shape import OpShape
from epforge.names import Name
from epforge.ops import control_flow, families, schemas
from epforge.ops.model import SMALL, DType, FamilyRow, OpSchema, SchemaVersion
from epforge.resolve.findings import Findings
from epforge.resolve.model import KernelSource, Op, OpVersion
from epforge.resolve.opnames import find_schema, is_known, split_op
from epforge.resolve.opsets import (
    GRAMMAR,
    OpsetRange,
    models_meant,
    opsets_of,
    parse_models,
    used_by,
)
from epforge.resolve.optypes import (
    HALVES,
    Types,
    allowed_types,
    beyond_tensors,
    kernel_types,
    main_constraint,
    schema_types,
    versions_of_stub,
)


@dataclass(frozen=True)
class _Entry:
    """One line of ``ops``."""

    path: Path
    domain: str
    op: str
    schema: OpSchema
    row: FamilyRow | None
    kernel: KernelSource
    shape: OpShape
    cuda: bool

    @property
    def spelling(self) -> str:
        return f"{self.domain}::{self.op}" if self.domain else self.op

    @property
    def sinces(self) -> tuple[int, ...]:
        return tuple(version.since for version in self.schema.versions)

    @property
    def moves_graphs(self) -> bool:
        """Does ONNX Runtime make the kernel, which runs the graphs of the node?"""
        return control_flow.is_control_flow(self.row)

    def place(self, key: str) -> Path:
        return (*self.path, key)


def resolve_ops(
    shapes: tuple[OpShape, ...],
    types: tuple[DType, ...],
    found: Findings,
    also: Mapping[Path, str] | None = None,
    cuda: bool = False,
) -> tuple[Op, ...]:
    """The operators, sorted by domain and name. Entries of the same operator are one operator.

    Args:
        shapes: the entries of ``ops``.
        types: the blueprint's default element types.
        found: where findings go.
        also: operators that other keys name, by their place; those that ``ops`` lacks get the
            defaults.
        cuda: whether kernels are device code.
    """
    grouped: dict[tuple[str, str], list[tuple[_Entry, tuple[OpVersion, ...]]]] = {}
    for index, shape in enumerate(shapes):
        entry = _entry(shape, ("ops", index), found, cuda)
        if entry is not None:
            versions = _versions(entry, types, found)
            grouped.setdefault((entry.domain, entry.op), []).append((entry, versions))
    for path, text in (also or {}).items():
        if split_op(text) in grouped or not is_known(text):
            continue  # what is not known is reported by those who read the key
        entry = _entry(OpShape.model_construct(op=text), path, found, cuda)
        if entry is not None:
            grouped[entry.domain, entry.op] = [(entry, _versions(entry, types, found))]
    ops = [_joined(group, found) for _, group in sorted(grouped.items())]
    return tuple(op for op in ops if op is not None)


def _entry(shape: OpShape, path: Path, found: Findings, cuda: bool) -> _Entry | None:
    place: Path = (*path, "op") if found.source.has(*path, "op") else path
    schema = find_schema(shape.op, place, "ops", found)
    if schema is None:
        if shape.models is not None:
            _parsed(shape.models, (*path, "models"), found)
        return None
    domain, op = schema.domain, schema.name
    row = families.row(domain, op)
    if shape.kernel != "yours":  # nobody but ONNX Runtime could write that one
        row = row or control_flow.row(domain, op)
    kernel = KernelSource(shape.kernel or ("generated" if row else "yours"))
    if cuda and row is not None and not row.device:
        if kernel is KernelSource.GENERATED:
            hint = "'kernel: yours' gives a stub to fill in"
            found.later(place, f"a CUDA kernel of {shape.op}", hint)
        else:
            row = None  # what there is, is code of the host: nothing to begin from
    entry = _Entry(path, domain, op, schema, row, kernel, shape, cuda)
    if kernel is KernelSource.GENERATED and row is None:
        hint = "'kernel: yours' gives a stub to fill in"
        found.later(entry.place("kernel"), f"a generated kernel for {entry.spelling}", hint)
    newest = schema.versions[-1]
    if newest.deprecated and len(schema.versions) == 1:
        what = f"ops: {entry.spelling} is deprecated since opset {newest.since}"
        found.error(place, "deprecated-op", what)
        return None
    return entry


def _versions(entry: _Entry, types: tuple[DType, ...], found: Findings) -> tuple[OpVersion, ...]:
    """The versions of one entry with their types."""
    chosen = _chosen(entry, found)
    if not chosen:
        return ()
    for version in chosen:
        reason = beyond_tensors(version)
        if reason and not entry.moves_graphs:
            found.later(entry.path, f"{reason} ({entry.spelling})")
            break
    narrowed = _narrowed(entry, chosen, types, found)
    kept = tuple(
        OpVersion(version, version_types)
        for version, version_types in zip(chosen, narrowed, strict=True)
        if all(version_types.values())
    )
    if not kept:
        what = f"{entry.spelling}: no version of it takes these types"
        sinces = listed(str(version.since) for version in chosen)
        found.error(entry.place("types"), "no-types", what, f"types of since-version {sinces}")
    if entry.shape.models is not None:
        lost = [v.since for v in chosen if v.since not in {k.schema.since for k in kept}]
        _uncovered(entry, lost, "which does not take these types", found)
    return kept


def _chosen(entry: _Entry, found: Findings) -> tuple[SchemaVersion, ...]:
    """The versions that ``models`` means and a kernel can be had for."""
    generated = entry.kernel is KernelSource.GENERATED and entry.row is not None
    by_since = {v.since: v for v in entry.schema.versions if not v.deprecated}
    text = entry.shape.models
    if text is None:
        return tuple(by_since[since] for since in _default_sinces(entry, by_since))
    opsets = _opsets(text, entry, found)
    if opsets is None:
        return ()
    used = used_by(entry.sinces, opsets)
    live = [since for since in used if since in by_since]
    known = listed((str(since) for since in by_since), 40)
    if not live:
        what = f"models: no version of {entry.spelling} is for models of opset {opsets}"
        found.error(entry.place("models"), "no-version", what, f"since-versions: {known}")
        return ()
    if generated and entry.row is not None:
        done = [since for since in live if since in entry.row.since]
        if not done:
            what = f"a generated kernel for {entry.spelling} in models of opset {opsets}"
            has = listed((str(since) for since in entry.row.since), 40)
            found.later(entry.place("models"), what, f"there is one for since-version {has}")
            return tuple(by_since[since] for since in live)
        _uncovered(
            entry, [s for s in live if s not in done], "for which there is no kernel yet", found
        )
        live = done
    return tuple(by_since[since] for since in live)


def _default_sinces(entry: _Entry, by_since: dict[int, SchemaVersion]) -> list[int]:
    if entry.row is not None:
        return [since for since in by_since if since in entry.row.since]
    live = [by_since[since] for since in sorted(by_since)]
    return [version.since for version in versions_of_stub(live)]


def _opsets(text: str, entry: _Entry, found: Findings) -> OpsetRange | None:
    place = entry.place("models")
    opsets = _parsed(text, place, found)
    if opsets is None:
        return None
    newest = schemas.ONNX_OPSET if not entry.domain else max(entry.sinces)
    if opsets.low > newest or (opsets.high or 0) > max(newest, schemas.ONNX_OPSET):
        what = f"models: {show(text)}: this opset is not known"
        found.error(place, "unknown-opset", what, f"up to {newest}")
        return None
    return opsets


def _parsed(text: str, path: Path, found: Findings) -> OpsetRange | None:
    try:
        return parse_models(text)
    except ValueError as error:
        meant = models_meant(text)
        fix = f'"{meant}"' if meant and meant[0] in "<>" else meant
        hint = f"write {fix}" if fix else ""
        found.error(path, "bad-models", f"models: {show(text)}: {error}", GRAMMAR, hint, fix)
        return None


def _uncovered(entry: _Entry, sinces: Sequence[int], why: str, found: Findings) -> None:
    """Warn of models whose version of the operator gets no kernel."""
    for since in sinces:
        opsets = opsets_of(entry.sinces, since)
        span = f"{opsets.low} and newer" if opsets.high is None else str(opsets)
        what = (
            f"{entry.spelling}: models of opset {span} use its version {since}, {why};"
            " they run elsewhere"
        )
        found.warning(entry.place("models"), "uncovered-opsets", what)


def _narrowed(
    entry: _Entry,
    chosen: tuple[SchemaVersion, ...],
    types: tuple[DType, ...],
    found: Findings,
) -> list[Types]:
    """Per version, the types of every constraint."""
    explicit = _explicit(entry, chosen, found)
    named = set(types).union(*explicit.values())
    if entry.cuda:
        named -= {*HALVES, *SMALL}
    allowed = [
        allowed_types(version, entry.row, named, widens=not entry.cuda) for version in chosen
    ]
    mains = [main_constraint(version) or "" for version in chosen]
    # The blueprint's types count where they leave something of the operator as a whole, so that a
    # version that takes none of them is left out and not registered for what nobody asked for.
    pairs = zip(allowed, mains, strict=True)
    wanted = any(dtype in each.get(main, ()) for each, main in pairs for dtype in types)
    wanted = wanted and not entry.moves_graphs  # what goes in and out of graphs is of any type
    result: list[Types] = []
    for version, possible, main in zip(chosen, allowed, mains, strict=True):
        narrowed: dict[str, tuple[DType, ...]] = {}
        for constraint, choice in possible.items():
            if constraint in explicit:
                # What the author asks for may exceed the family: noted, never dropped.
                from_schema = schema_types(version, constraint)
                choice = tuple(dtype for dtype in from_schema if dtype in explicit[constraint])
            elif constraint == main and wanted:
                choice = tuple(dtype for dtype in choice if dtype in types)
            narrowed[constraint] = choice
        result.append(narrowed)
    return result


def _explicit(
    entry: _Entry, chosen: tuple[SchemaVersion, ...], found: Findings
) -> dict[str, tuple[DType, ...]]:
    """The entry's own ``types``, checked against schema and family."""
    checked: dict[str, tuple[DType, ...]] = {}
    known = list(dict.fromkeys(name for version in chosen for name in version.constraints))
    for constraint, texts in (entry.shape.types or {}).items():
        place: Path = (*entry.path, "types", constraint)
        if constraint not in known:
            meant = known[0] if len(known) == 1 else suggest(constraint, known)
            fix = meant if meant not in (entry.shape.types or {}) else None
            what = f"types: {entry.spelling} has no type constraint {show(constraint)}"
            hint = f"did you mean {meant}?" if meant else ""
            found.key_error(place, "unknown-constraint", what, listed(known), hint, fix)
            continue
        types = _checked_types(entry, chosen, constraint, texts, found)
        if types:
            checked[constraint] = types
    return checked


def _checked_types(
    entry: _Entry,
    chosen: tuple[SchemaVersion, ...],
    constraint: str,
    texts: tuple[str, ...],
    found: Findings,
) -> tuple[DType, ...]:
    place: Path = (*entry.path, "types", constraint)
    if not texts and not found.source.incomplete(*place):
        found.error(place, "empty-list", f"types: {constraint} has no type", "at least one")
    possible = {dtype for version in chosen for dtype in schema_types(version, constraint)}
    allowed = listed((dtype.text for dtype in DType if dtype in possible), 40)
    family = kernel_types(entry.row, constraint) if entry.row is not None else None
    checked: list[DType] = []
    for index, text in enumerate(texts):
        dtype = DType.parse(text)
        if dtype in checked:
            what, out = f"types: {text} is listed twice", found.without((*place, index))
            found.error((*place, index), "listed-twice", what, "", "delete one of them", out)
        elif dtype not in possible:
            what = f"types: {constraint} of {entry.spelling} cannot be {text}"
            out = found.without((*place, index))
            found.error((*place, index), "type-not-allowed", what, allowed, "delete it", out)
        else:
            checked.append(dtype)
            unable = family is not None and dtype not in family
            unable = unable or (entry.cuda and dtype in (*HALVES, *SMALL))
            if entry.kernel is KernelSource.GENERATED and unable:
                what = f"{text} in generated kernels ({constraint} of {entry.spelling})"
                found.later((*place, index), what, "'kernel: yours' takes every type of the schema")
    return tuple(checked)


def _joined(group: list[tuple[_Entry, tuple[OpVersion, ...]]], found: Findings) -> Op | None:
    """The entries of one operator as one operator: no version twice, one kernel."""
    first = group[0][0]
    owner: dict[int, _Entry] = {}
    versions: dict[int, OpVersion] = {}
    for entry, entry_versions in group:
        if entry.kernel is not first.kernel:
            what = f"{entry.spelling} has 'kernel: {first.kernel.value}' on line"
            what = f"{what} {found.line(first.path)}; the kernel is one for all its versions"
            found.error(entry.place("kernel"), "two-kernels", what)
        for version in entry_versions:
            since = version.schema.since
            if since in owner:
                _twice(entry, owner[since], since, found)
                break
            owner[since] = entry
            versions[since] = version
    if not versions:
        return None
    _gaps(group, sorted(versions), found)
    return Op(
        domain=first.domain,
        op=first.op,
        name=Name.parse(f"{first.domain} {first.op}" if first.domain else first.op),
        versions=tuple(versions[since] for since in sorted(versions)),
        kernel=first.kernel,
        row=first.row,
        widens=not first.cuda,
    )


def _twice(entry: _Entry, other: _Entry, since: int, found: Findings) -> None:
    line = found.line(other.path)
    if entry.shape.models is None and other.shape.models is None:
        what = f"ops: {entry.spelling} is listed twice; first on line {line}"
        plain = entry.shape == OpShape.model_construct(op=entry.shape.op)
        out = found.without(entry.path) if plain else None
        found.error(entry.path, "listed-twice", what, "", "delete one of them", out)
    else:
        what = f"models: this entry and the one on line {line} overlap:"
        what = f"{what} both are for version {since} of {entry.spelling}"
        found.error(entry.place("models"), "overlap", what, "ranges without a common version")


def _gaps(
    group: list[tuple[_Entry, tuple[OpVersion, ...]]], sinces: list[int], found: Findings
) -> None:
    """Warn of versions that could have a kernel and that no entry is for."""
    entries = [entry for entry, _ in group if entry.shape.models is not None]
    if not entries:
        return
    last = max(entries, key=lambda entry: entry.path)
    live = {v.since: v for v in last.schema.versions if not v.deprecated}
    possible = live if last.row is None else [s for s in live if s in last.row.since]
    newest = _default_sinces(last, live)[-1]
    between = [s for s in possible if sinces[0] < s < sinces[-1] and s not in sinces]
    newer = [s for s in possible if sinces[-1] < s <= newest]
    if len(group) > 1:
        _uncovered(last, between, "for which there is no entry", found)
    _uncovered(last, newer, "which 'models' leaves out", found)
