"""Several execution providers in one library, as far as the text of a project shows."""

from __future__ import annotations

import json

import pytest
from blueprints import example

from epforge.plan.make import make_plan
from epforge.render import render

HEAD = """\
epforge: 1
name: contoso
vendor: {name: Contoso, pci_id: 0xB357}
ops: [Mul]
options: [{name: effort, type: int, default: 0, doc: Effort.}]
devices:
  - {name: npu, type: npu, match: {vendor_id: 1}, virtual: allowed, ep: ContosoNpuExecutionProvider}
  - {name: gpu, type: gpu, match: {vendor_id: 2}, software: allowed}
  - {name: two, type: npu, match: {vendor_id: 3}, ep: ContosoNpuExecutionProvider}
"""
CUSTOM = "custom_ops: [{op: com.contoso::Neg, inputs: {x: float32}, outputs: {y: float32}}]\n"
SERVICES = (
    "features: {profiler: true, resource_accounting: true, memory_capacity: true}\n"
    'ort: {target: "1.32"}\n'
)


def texts(text: str) -> dict[str, str]:
    return {file.path: file.content.decode() for file in render(make_plan(example(text))).values()}


@pytest.mark.parametrize(
    "more",
    [
        "",
        CUSTOM,
        "memory: {default: plain}\n",
        f"memory: {{default: arena, streams: true}}\n{CUSTOM}{SERVICES}",
        f"paradigm: compiled\nmemory: {{default: arena, streams: true}}\n{SERVICES}",
    ],
)
def test_no_name_of_one_provider_is_left_in_the_code(more: str) -> None:
    """The library's own name would be wrong for the others."""
    for path, text in texts(HEAD + more).items():
        if path.startswith("src/"):
            assert "kEpName" not in text, path
            assert "kOptionPrefix" not in text, path


def test_the_rules_of_one_provider_are_together() -> None:
    files = texts(HEAD)
    table = files["src/gen/devices.h"].split("kDeviceRules[] = ")[1]
    places = [table.index(f'"{name}"') for name in ("gpu", "npu", "two")]
    assert places == sorted(places)
    assert (
        '{"ContosoExecutionProvider", "ep.contosoexecutionprovider.", 0, 1, 0}'
        in (files["src/gen/identity.h"])
    )
    assert (
        '{"ContosoNpuExecutionProvider", "ep.contosonpuexecutionprovider.", 1, 2, 8}'
        in (files["src/gen/identity.h"])
    )


def test_manifest_and_package_list_them_all() -> None:
    files = texts(HEAD)
    manifest = json.loads(files["src/gen/manifest.json"])
    names = ["ContosoExecutionProvider", "ContosoNpuExecutionProvider"]
    assert (manifest["ep"], manifest["eps"]) == (names[0], names)
    identity = next(text for path, text in files.items() if path.endswith("/_identity.py"))
    scope: dict[str, object] = {}
    exec(identity, scope)
    assert scope["EP_NAMES"] == tuple(names)


def test_one_provider_has_constants_and_no_table() -> None:
    files = texts(HEAD.replace(", ep: ContosoNpuExecutionProvider", ""))
    assert 'kEpName[] = "ContosoExecutionProvider"' in files["src/gen/identity.h"]
    assert not any("Identity" in text for path, text in files.items() if path.startswith("src/"))
    assert json.loads(files["src/gen/manifest.json"])["eps"] == ["ContosoExecutionProvider"]
