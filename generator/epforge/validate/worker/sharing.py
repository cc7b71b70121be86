"""Groups of compiled models that have one file together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from epforge.validate.worker import sketch
from epforge.validate.worker.case import refused
from epforge.validate.worker.press import (
    CACHE,
    SHARE,
    STOP,
    Check,
    Config,
    Draw,
    Press,
    blob_of,
    context_nodes,
    present,
    read,
)

_GROUP: Mapping[str, Draw] = {"a": sketch.chain, "b": sketch.fan_out}
_NEXT: Mapping[str, Draw] = {"c": sketch.chain}
_MUCH = 1.5  # as large as that, a file holds more than it should


def share(press: Press, modes: tuple[str, ...]) -> Iterable[Check]:
    yield "share/two models", partial(_shared, press, "share", _GROUP)
    yield "share/the next group", partial(_shared, press, "next", _NEXT)
    yield "share/after a group that failed", partial(_after_failure, press)


def _shared(press: Press, place: str, group: Mapping[str, Draw]) -> str:
    """One group of sessions, the last of which says so: they leave one file."""
    alive = []
    for name, draw in group.items():
        last = {STOP: "1"} if name == list(group)[-1] else {}
        alive.append(_one_of_group(press, press.folder / place / f"{name}.onnx", draw, last))
    return _one_blob(press, press.folder / place, group)


def _one_of_group(press: Press, output: Path, draw: Draw, more: Config) -> Any:
    source = press.source(draw, press.folder / "sources" / output.name)
    output.parent.mkdir(parents=True, exist_ok=True)
    return press.by_options(source, output, False, {SHARE: "1", **more})


def _one_blob(press: Press, place: Path, group: Iterable[str]) -> str:
    models = [place / f"{name}.onnx" for name in group]
    blobs = [path.name for path in place.iterdir() if path not in models]
    if len(blobs) != 1:
        found = ", ".join(sorted(blobs)) or "none"
        return press.failing(f"expected one file beside the models, found {found}")
    named = {
        node.get(CACHE, b"").decode("utf-8", "replace")
        for model in models
        for _, node in context_nodes(read(model))
    }
    return "" if named == {blobs[0]} else f"the file is {blobs[0]}, the nodes name {sorted(named)}"


def _after_failure(press: Press) -> str:
    """The last session of a group fails; the next one begins a group of its own, in which there is
    nothing of the long chain from before."""
    place = press.folder / "failed"
    first = _one_of_group(press, place / "d.onnx", sketch.long_chain, {})
    last = place / "e.onnx"
    last.write_text("mine", encoding="utf-8")
    wrong = refused(lambda: _one_of_group(press, last, sketch.chain, {STOP: "1"}))
    del first
    left = {path.name for path in place.iterdir()} - {"d.onnx", "e.onnx"}
    if left and not wrong:
        wrong = f"a group that failed leaves {', '.join(sorted(left))}"
    wrong = wrong or _shared(press, "fresh", {"f": sketch.chain})
    fresh = blob_of(press.folder / "fresh" / "f.onnx").stat().st_size
    usual = blob_of(press.folder / "next" / "c.onnx").stat().st_size
    if fresh > usual * _MUCH:
        wrong = wrong or f"its file has {fresh} bytes, one of a group of its own has {usual}"
    return wrong


def read_shared(press: Press, modes: tuple[str, ...]) -> Iterable[Check]:
    share = press.root / "share"
    for order in (["a"], ["b"], ["a", "b"], ["b", "a"]):
        models = [(share / "share" / f"{name}.onnx", _GROUP[name]) for name in order]
        yield f"share/read {' then '.join(order)}", partial(_together, press, models)
    fresh = [(share / "next" / "c.onnx", _NEXT["c"])]
    yield "share/read the next group", partial(_together, press, fresh)


def _together(press: Press, models: list[tuple[Path, Draw]]) -> str:
    """Loads models, all of them alive at once."""
    alive = [(press.load(present(model)), draw) for model, draw in models]
    return next(filter(None, (press.differs(one, draw) for one, draw in alive)), "")
