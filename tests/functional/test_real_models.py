"""Whole models of other people's, with nothing left for the CPU: kernel by kernel, and compiled."""

from __future__ import annotations

from pathlib import Path

import pytest
from locking import locked
from projects import Project, built
from real_models import LIGHT, OCR, blueprint, ocr_model

from epforge.cache import cache_dir

_MOST = 1e-3  # the largest difference, relative to the largest result
_QUICK = ("shufflenet", "squeezenet")

paradigms = pytest.mark.parametrize("paradigm", ["kernel-registry", "compiled"])

_COMPARE = """
    def session(path, device=None):
        options = ort.SessionOptions()
        if device is None:
            return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        options.add_provider_for_devices([device], {})
        made = ort.InferenceSession(path, options)
        parts = made.get_provider_graph_assignment_info()
        assert {part.ep_name for part in parts} == {plugin.get_ep_name()}
        return made

    def difference(mine, wanted):
        assert (mine.shape, mine.dtype) == (wanted.shape, wanted.dtype)
        assert np.isfinite(mine).all()
        return float(np.abs(mine - wanted).max() / np.abs(wanted).max())
"""


@pytest.fixture(scope="module")
def store() -> Path:
    place = cache_dir("tests", "models")
    with locked(place.with_suffix(".lock")):
        for what in OCR:
            ocr_model(what, place)
    return place


def _project(paradigm: str) -> Project:
    return built(blueprint(paradigm))


def _differences(project: Project, code: str) -> list[float]:
    done = project.python(_COMPARE + code, timeout=900)
    assert done.returncode == 0, done.stderr[-4000:]
    return [float(line) for line in done.stdout.split()]


@paradigms
@pytest.mark.parametrize("what", OCR)
def test_text_is_found_turned_and_read(what: str, paradigm: str, store: Path) -> None:
    """In pictures of three sizes, one after the other. There is text in them: where a model finds
    none, its results are so small that those of the CPU's own levels of optimization differ."""
    found = _differences(
        _project(paradigm),
        f"""
    from pathlib import Path
    from real_models import OCR, ocr_model, pictures
    path = str(ocr_model({what!r}, Path({str(store)!r})))
    mine, cpu = session(path, device), session(path)
    batch, channels, height, width = OCR[{what!r}][1]
    if height > 48:
        height, width = 192, 320
    (name,) = (each.name for each in mine.get_inputs())
    for shape in ((batch, channels, height, width), (1, channels, height, width // 2),
                  (2, channels, height, width)):
        x = pictures(shape)
        for one, other in zip(mine.run(None, {{name: x}}), cpu.run(None, {{name: x}})):
            print(difference(one, other))
    """,
    )
    assert len(found) == 3
    assert max(found) <= _MOST


@paradigms
@pytest.mark.parametrize(
    "name",
    [each if each in _QUICK else pytest.param(each, marks=pytest.mark.lab) for each in LIGHT],
)
def test_pictures_are_classified(name: str, paradigm: str) -> None:
    found = _differences(
        _project(paradigm),
        f"""
    from real_models import light_model
    path, x, wanted = light_model({name!r})
    mine, cpu = session(str(path), device), session(str(path))
    constants = {{each.name for each in mine.get_overridable_initializers()}}
    (entry,) = (each.name for each in mine.get_inputs() if each.name not in constants)
    (result,) = mine.run(None, {{entry: x}})
    print(difference(result, wanted))
    print(difference(result, cpu.run(None, {{entry: x}})[0]))
    """,
    )
    assert len(found) == 2
    assert max(found) <= _MOST
