<%= banner %>
"""Sessions side by side, from several threads, and with shapes that are known only at run time."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import onnx
import pytest

from support import OneNode, Plugin, assert_same, expected, trials


@pytest.fixture(scope="module")
def one(plugin: Plugin) -> OneNode:
    return next(trials(plugin.manifest)).build()


def _dynamic(plugin: Plugin) -> Iterator[OneNode]:
    """Of every op that takes inputs of equal shapes one model whose first dimension is open."""
    seen = set()
    for trial in trials(plugin.manifest):
        shapes = [each.get("shape") if each else None for each in trial.case["inputs"]]
        attributes = trial.case.get("attributes")
        if attributes or trial.case["op"] in seen or any(s != [2, 3, 4] for s in shapes):
            continue
        seen.add(trial.case["op"])
        one = trial.build()
        model = onnx.load_from_string(one.model)
        for value in model.graph.input:
            value.type.tensor_type.shape.dim[0].dim_param = "N"
        yield OneNode(one.op, model.SerializeToString(), one.feeds)


def test_two_sessions_at_once(plugin: Plugin, one: OneNode) -> None:
    first, second = plugin.session(one.model), plugin.session(one.model)
    wanted = expected(one)
    for session in (first, second, first):
        assert_same(session.run(None, one.feeds), wanted)


def test_a_session_goes_and_the_other_stays(plugin: Plugin, one: OneNode) -> None:
    first, second = plugin.session(one.model), plugin.session(one.model)
    del first
    assert_same(second.run(None, one.feeds), expected(one))


@pytest.mark.parametrize("sessions", [1, 3])
def test_threads_share_sessions(plugin: Plugin, one: OneNode, sessions: int) -> None:
    pool = [plugin.session(one.model) for _ in range(sessions)]
    wanted = expected(one)

    def run(index: int) -> list[Any]:
        return list(pool[index % sessions].run(None, one.feeds))

    with ThreadPoolExecutor(4) as threads:
        for result in threads.map(run, range(100)):
            assert_same(result, wanted)


def test_one_session_serves_every_length(plugin: Plugin) -> None:
    models = list(_dynamic(plugin))
    if not models:
        pytest.skip("no op of this library takes inputs of equal shapes")
    for one in models:
        session = plugin.session(one.model)
        for length in (1, 16, 0, 3):
            feeds = {
                name: np.resize(value, (length, *value.shape[1:]))
                for name, value in one.feeds.items()
            }
            wanted = expected(OneNode(one.op, one.model, feeds))
            if length == 0 and wanted[0].size:
                continue  # what the mean or the largest of no numbers is, nobody has laid down
            assert_same(session.run(None, feeds), wanted)
