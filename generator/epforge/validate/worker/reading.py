"""Compiled models read, in a process that did not write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from epforge.validate.worker.case import NotCheckedError, refusal, refused
from epforge.validate.worker.press import (
    PATH,
    SOURCE,
    WAYS,
    Check,
    Config,
    Press,
    blob_of,
    compatibility,
    copied,
    edited,
    present,
)

_NO_COMPILING = {"session.disable_model_compile": "1"}
_WEIGHTS = "session.model_external_initializers_file_folder_path"


def read(press: Press, modes: tuple[str, ...]) -> Iterable[Check]:
    """What set `write` has written, loaded as it should be and as it should not."""
    for mode in modes:
        for way in (*WAYS, "bytes") if mode == "embed" else WAYS:
            yield f"{mode}/read, by {way}", partial(_reads, press, press.made(mode, way))
        first = press.made(mode)
        yield f"{mode}/moved", partial(_moved, press, first, press.folder / mode)
        yield f"{mode}/of another source", partial(_of_another, press, first)
        yield f"{mode}/compiling forbidden", partial(_reads, press, first, _NO_COMPILING)
    yield (
        f"{modes[0]}/compiling forbidden, not compiled",
        lambda: refused(lambda: press.load(press.original(), _NO_COMPILING)),
    )
    yield from _verdicts(press, press.made(modes[0]))
    if "embed" in modes:
        yield "memory/embedded", partial(_from_memory, press, press.made("embed"))
    if "external" in modes:
        yield from _places(press, press.made("external"))


def _reads(press: Press, model: Path, config: Config | None = None) -> str:
    return press.wrong_with(present(model), press.drawing, config or {})


def _moved(press: Press, model: Path, to: Path) -> str:
    return _reads(press, copied(model, to))


def _from_memory(press: Press, model: Path, config: Config | None = None) -> str:
    return press.wrong_with(present(model).read_bytes(), press.drawing, config or {})


def _of_another(press: Press, model: Path) -> str:
    """A node that another library has made is left to others, of whom there are none."""
    data = edited(model, SOURCE, b"OtherExecutionProvider")
    taken = "a node whose source is another library is taken"
    return refused(lambda: press.load(data, {PATH: str(model)}), accepted=taken)


def _verdicts(press: Press, model: Path) -> Iterable[Check]:
    """How the library judges models by their metadata."""

    def own() -> str:
        info = compatibility(model, press.ep)
        verdict = press.verdict(info) if info or press.strict else "NOT_APPLICABLE"
        if verdict == "NOT_APPLICABLE" and not press.strict:
            raise NotCheckedError("the library does not judge compatibility")
        return "" if verdict == "OPTIMAL" else f"{verdict}, expected OPTIMAL"

    def other(change: Callable[[str], str]) -> str:
        try:
            verdict = press.verdict(change(compatibility(model, press.ep)))
        except Exception as error:  # an error is as good an answer, or raised again
            refusal(error)
            return ""
        return f"{verdict} is the verdict" if verdict in _GOOD else ""

    yield "compatibility/own", own
    for name, change in _INFOS.items():
        yield f"compatibility/{name}", partial(other, change)


_GOOD = ("OPTIMAL", "PREFER_RECOMPILATION")
_INFOS: Mapping[str, Callable[[str], str]] = {
    "empty": lambda info: "",
    "cut off": lambda info: info[: len(info) // 2],
    "twice": lambda info: info + info,
    "noise": lambda info: "\u00fc;=;;=%s%n\x01",
    "of another library": lambda info: "OtherExecutionProvider;format=1",
    "10,000 characters": lambda info: info + "x" * 10_000,
}


def _places(press: Press, model: Path) -> Iterable[Check]:
    """Where the file beside a compiled model is looked for."""

    def load(config: Config) -> str:
        data = present(model).read_bytes()
        return refused(lambda: press.load(data, config), PATH)

    yield f"memory/{PATH} set", partial(_from_memory, press, model, {PATH: str(model)})
    yield f"memory/{PATH} not set", partial(load, {})
    yield f"memory/{PATH} is a folder", partial(load, {PATH: str(model.parent)})
    yield "external/file missing", partial(_missing, press, model)
    yield "external/weights looked for elsewhere", partial(_elsewhere, press, model)


def _elsewhere(press: Press, model: Path) -> str:
    """The option that moves the folder of external weights. Some runtimes let the library see that
    folder as the model's; then it has to name the option that says where its file is."""
    moved = {_WEIGHTS: str(press.folder)}
    wrong = _reads(press, model, {**moved, PATH: str(model)})
    try:
        return wrong or _reads(press, model, moved)
    except Exception as error:  # the refusal, or raised again
        text = refusal(error)
        return "" if PATH in str(error) else f"refused without naming {PATH}: {text}"


def _missing(press: Press, model: Path) -> str:
    moved = copied(model, press.folder / "missing")
    blob = blob_of(moved)
    blob.unlink()
    return refused(lambda: press.load(moved), str(blob))
