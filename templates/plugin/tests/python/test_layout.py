<%= banner %>
"""Nodes that onnxruntime converts to the layout that the device prefers: they are converted, and
their values stay what they were. The channels and the spatial dimensions are all of different
sizes, so that no two can be taken for each other.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnxruntime
import pytest

from support import Plugin, Trial, assert_same, expected, trials

_MANIFEST: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[2] / "src/gen/manifest.json").read_text(encoding="utf-8")
)
_OPS = set(_MANIFEST["layout"]["ops"])
_ORT = onnxruntime.capi.onnxruntime_pybind11_state


def _trials() -> Iterator[Trial]:
    for trial in trials(_MANIFEST):
        shape = trial.case["inputs"][0].get("shape", []) if not trial.case["domain"] else []
        distinct = len(shape) > 2 and len(set(shape[1:])) == len(shape) - 1
        if trial.case["op"] in _OPS and distinct:
            yield trial


@pytest.mark.parametrize("trial", list(_trials()), ids=str)
def test_the_node_is_converted_and_its_values_are_right(plugin: Plugin, trial: Trial) -> None:
    one = trial.build()
    try:
        wanted = expected(one)
    except _ORT.Fail as error:
        if "under development" not in str(error):
            raise
        pytest.skip(f"this onnxruntime knows no opset {trial.since}")
    session = plugin.session(one.model)
    assert plugin.converted(session) == [one.op]
    assert_same(session.run(None, one.feeds), wanted)


def test_every_version_that_is_converted_is_tried() -> None:
    tried = {(trial.case["op"], trial.since) for trial in _trials()}
    ops = {(op["op"], op["since"]) for op in _MANIFEST["ops"] if not op["domain"]}
    assert tried == {(op, since) for op, since in ops if op in _OPS}
