"""The plan of projects that compile: which of its parts there are, and who owns them."""

from __future__ import annotations

import pytest
from blueprints import example

from epforge.plan import make_plan
from epforge.plan.compiled import switches
from epforge.plan.kernel_table import table_view
from epforge.plan.model import Owner
from epforge.resolve.model import Blueprint

HEAD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\nparadigm: compiled\nops: [Relu]\n"


def blueprint(more: str = "") -> Blueprint:
    return example(HEAD + more + "\n")


def paths(more: str = "") -> set[str]:
    return {spec.path for spec in make_plan(blueprint(more)).files}


def test_a_kernel_registry_has_nothing_of_it() -> None:
    text = HEAD.replace("paradigm: compiled\n", "")
    files = {spec.path for spec in make_plan(example(text)).files}
    assert not any(path.startswith(("src/graph/", "src/gen/graph/")) for path in files)
    assert not switches(example(text))["compiled"]


def test_the_hook_is_the_one_file_that_is_yours() -> None:
    plan = make_plan(blueprint())
    yours = {spec.path for spec in plan.files if spec.owner is Owner.YOURS}
    assert "src/graph/compile.cc" in yours
    assert [path for path in yours if "graph" in path] == ["src/graph/compile.cc"]


def test_without_kernels_of_its_own_it_has_no_registry() -> None:
    assert "src/abi/kernel_registry.cc" not in paths()
    assert "src/abi/kernel_registry.cc" in paths("compile: {also_kernels: [Cast]}")


@pytest.mark.parametrize(
    ("features", "there", "absent"),
    [
        ("", (), ("contexts", "context_file", "compatibility", "share_group", "context_data")),
        ("embed: true", ("contexts", "compatibility"), ("share_group", "context_data")),
        ("external: true", ("contexts", "context_file"), ("share_group", "context_data")),
        ("share: true", ("contexts", "context_file", "share_group"), ("context_data",)),
    ],
)
def test_services_are_there_when_asked_for(
    features: str, there: tuple[str, ...], absent: tuple[str, ...]
) -> None:
    found = paths(f"features: {{ep_context: {{{features}}}}}" if features else "")
    assert all(f"src/abi/{name}.cc" in found for name in there)
    assert not any(f"src/abi/{name}.cc" in found for name in absent)
    assert ("src/gen/graph/blob.cc" in found) == bool(features)


@pytest.mark.parametrize(("target", "newer"), [(27, False), (28, True), (32, True)])
def test_callbacks_come_with_the_level_that_has_them(target: int, newer: bool) -> None:
    features = f'features: {{ep_context: {{external: true}}}}\nort: {{target: "1.{target}"}}'
    found = switches(blueprint(features))
    assert (found["data_callbacks"], found["select_candidate"]) == (newer, newer)
    assert ("src/abi/context_data.cc" in paths(features)) == newer


def test_callbacks_are_not_promised_where_none_would_be_called() -> None:
    features = 'features: {ep_context: {embed: true}}\nort: {target: "1.32"}'
    found = switches(blueprint(features))
    assert (found["data_callbacks"], found["select_candidate"]) == (False, True)
    assert "src/abi/context_data.cc" not in paths(features)


def test_every_source_of_it_is_compiled() -> None:
    plan = make_plan(blueprint("features: {ep_context: {share: true}}"))
    (listed,) = (s.params["sources"] for s in plan.files if s.path == "cmake/gen/sources.cmake")
    assert isinstance(listed, list)
    assert {s.path for s in plan.files if s.path.endswith(".cc") and "/graph/" in s.path} <= set(
        listed
    )


def test_outputs_that_must_be_there_are_in_the_table() -> None:
    table = table_view(blueprint("compile: {also_kernels: [MaxPool, Split, Dropout]}"))
    needed = {row.op: str(row.needed_outputs) for row in table.rows}
    assert needed == {"Relu": "0x1", "MaxPool": "0x1", "Dropout": "0x1", "Split": "0"}


def test_types_that_the_schema_fixes_are_rules_where_nothing_else_knows_them() -> None:
    """Reshape's shape is int64; a program that is loaded from a file has no schema to ask."""
    compiled = table_view(blueprint("compile: {also_kernels: [Reshape]}"))
    registry = table_view(example(HEAD.replace("compiled", "kernel-registry") + "types: [float32]"))
    rules = {rule.constraint: rule for entry in compiled.rules for rule in entry.rules}
    assert (str(rules[""].inputs), str(rules[""].outputs)) == ("0x2", "0")
    assert all(rule.constraint for entry in registry.rules for rule in entry.rules)
