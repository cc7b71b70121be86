"""The models that stand for all: fewer, and nothing that has to be covered is lost."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from epforge.validate.cases import Ask, Case, cases
from epforge.validate.manifest import OpClaim
from epforge.validate.ops import batches
from epforge.validate.worker.covering import Covering, bound_by, kind_of_shapes, targets
from epforge.validate.worker.ops import combinations

Model = tuple[Ask, Case]
ONE_HOT = {"T1": ["int32", "int64"], "T2": ["float32", "int64", "bool"], "T3": ["float32", "int8"]}


def models(op: str, versions: tuple[int, ...], types: Mapping[str, list[str]]) -> Iterator[Model]:
    for since, chosen in itertools.product(versions, combinations(dict(types))):
        ask = Ask("", op, since, chosen)
        yield from ((ask, case) for case in cases(ask))


def chosen(all_: list[Model], judged: bool = True, thorough: bool = False) -> list[Model]:
    covering, found = Covering(thorough), []
    for ask, case in all_:
        reached = targets(ask, case, 13, bound_by(ask, case))
        if covering.wants(reached):
            covering.note(reached, judged)
            found.append((ask, case))
    assert covering.run == len(found)
    assert covering.left_out == len(all_) - len(found)
    return found


def shapes_of(some: list[Model]) -> set[tuple[object, ...]]:
    """op x type x since-version x kind of shape."""
    return {
        (ask.since, name, ask.types[name], kind_of_shapes(case))
        for ask, case in some
        for name in bound_by(ask, case)
    }


@pytest.mark.parametrize(
    ("op", "versions", "types"),
    [
        ("OneHot", (9, 11), ONE_HOT),
        ("Relu", (6, 13, 14), {"T": ["float32", "int8", "int32"]}),
        ("Cast", (9, 13), {"T1": ["float32", "int64"], "T2": ["float32", "bool", "int8"]}),
        ("Attention", (23, 24), {"T1": ["float32"], "T2": ["float32"], "U": ["float32", "bool"]}),
        ("Add", (7, 13), {"T": ["float32", "int64"]}),
    ],
)
def test_no_type_version_shape_or_call_is_lost(
    op: str, versions: tuple[int, ...], types: Mapping[str, list[str]]
) -> None:
    all_ = list(models(op, versions, types))
    some = chosen(all_)
    assert shapes_of(some) == shapes_of(all_)
    calls = [{(ask.since, case.label) for ask, case in each} for each in (some, all_)]
    assert calls[0] == calls[1]
    pairs = [
        {
            (one, ask.types[one], other, ask.types[other])
            for ask, case in each
            for one, other in itertools.combinations(bound_by(ask, case), 2)
        }
        for each in (some, all_)
    ]
    assert pairs[0] == pairs[1]


def test_the_full_product_is_not_run() -> None:
    all_ = list(models("OneHot", (9, 11), ONE_HOT))
    assert len(chosen(all_)) < len(all_) / 2


def test_thorough_runs_all() -> None:
    all_ = list(models("OneHot", (9, 11), ONE_HOT))
    assert chosen(all_, thorough=True) == all_


def test_a_model_whose_call_has_no_such_input_is_run_for_one_type() -> None:
    """Without a mask, the mask's type changes nothing."""
    types = {"T1": ["float32"], "T2": ["float32"], "U": ["float32", "bool", "int8"]}
    some = chosen(list(models("Attention", (23,), types)))
    plain = [ask.types["U"] for ask, case in some if case.label == "causal"]
    assert plain == ["float32"]
    masked = {ask.types["U"] for ask, case in some if case.label.startswith("mask (")}
    assert masked == {"float32", "bool", "int8"}


def test_a_model_without_a_verdict_stands_for_nothing() -> None:
    """Others are tried in its place, until there is no hope."""
    all_ = list(models("OneHot", (9,), ONE_HOT))
    assert len(chosen(all_)) < len(chosen(all_, judged=False)) <= len(all_)
    covering = Covering()
    for _ in range(3):
        assert covering.wants([("a",)])
        covering.note([("a",)], judged=False)
    assert not covering.wants([("a",)])


def claim(op: str, types: int, domain: str = "") -> list[OpClaim]:
    return [OpClaim(domain, op, 13, {"T": tuple(map(str, range(types)))})]


def test_few_ops_have_a_process_each() -> None:
    few = {name: claim(name, 1) for name in ("Add", "Mul", "Relu")}
    assert batches(few, 2) == [[each] for each in few.values()]


def test_many_ops_share_processes_in_their_order() -> None:
    many = {f"Op{index}": claim(f"Op{index}", 1 + index % 3) for index in range(100)}
    many["com.contoso::Own"] = claim("Own", 1, "com.contoso")
    found = batches(many, 2)
    assert [each for batch in found for each in batch] == list(many.values())
    assert 20 <= len(found) <= 32
    assert [many["com.contoso::Own"]] in found


def test_one_op_with_most_of_the_work_is_alone() -> None:
    mixed = {"Add": claim("Add", 1), "OneHot": claim("OneHot", 200), "Relu": claim("Relu", 1)}
    assert [len(batch) for batch in batches(mixed, 2)] == [1, 1, 1]


def test_nothing_is_lost_of_the_large_blueprint(repository: Path) -> None:
    from projects import expanded

    from epforge.validate.worker import schema

    text = (repository / "blueprints/kernel-registry.yaml").read_text(encoding="utf-8")
    files = {file.path: file.content for file in expanded(text).files}
    ops: dict[str, list[Model]] = {}
    for entry in json.loads(files["src/gen/manifest.json"])["ops"]:
        if schema.find(entry["domain"], entry["op"], entry["since"]) is not None:
            more = models(entry["op"], (entry["since"],), entry["types"])
            ops.setdefault(entry["op"], []).extend(more)
    assert len(ops) > 150
    run = 0
    for all_ in ops.values():
        some = chosen(all_)
        assert shapes_of(some) == shapes_of(all_)
        run += len(some)
    assert run < 0.6 * sum(map(len, ops.values()))
