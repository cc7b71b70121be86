"""Compiled models that nobody wrote: damaged data, and names that lead elsewhere."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from epforge.validate.worker.case import NotCheckedError, refusal, refused
from epforge.validate.worker.press import (
    CACHE,
    Check,
    Press,
    blob_of,
    context_nodes,
    copied,
    edited,
    read,
)

_FLIPS = 40
_FLIPS_EMBEDDED = 10
_HEAD = 512  # bytes in which half of the flips are: what describes the rest is there
_SEED = 20260


def damage(press: Press, modes: tuple[str, ...]) -> Iterable[Check]:
    """Data cut off, changed and replaced: each is an error."""
    if "external" in modes:
        yield from _external_damage(press, press.made("external"))
    if "embed" in modes:
        yield from _embedded_damage(press, press.made("embed"))


def _external_damage(press: Press, model: Path) -> Iterator[Check]:
    place = press.folder / "external"
    try:
        content = blob_of(model).read_bytes()
        target = copied(model, place)
    except NotCheckedError:
        return
    blob = blob_of(target)

    def load(data: bytes) -> str:
        blob.write_bytes(data)
        return _judged(press, lambda: press.wrong_with(target, press.drawing))

    for label, data in damaged(content, _FLIPS):
        yield f"damage/file {label}", partial(load, data)


def _embedded_damage(press: Press, model: Path) -> Iterator[Check]:
    if not model.is_file():
        return
    content = next((node.get(CACHE, b"") for _, node in context_nodes(read(model))), b"")

    def load(data: bytes) -> str:
        changed = edited(model, CACHE, data)
        return _judged(press, lambda: press.wrong_with(changed, press.drawing))

    for label, data in damaged(content, _FLIPS_EMBEDDED):
        yield f"damage/embedded {label}", partial(load, data)


def _judged(press: Press, load: Callable[[], str]) -> str:
    """An error is due. Without a manifest, right results are as good: the damage did not matter."""
    if press.strict:
        return refused(load, accepted="damaged data is accepted")
    try:
        wrong = load()
    except Exception as error:  # the refusal, or raised again
        refusal(error)
        return ""
    return f"damaged data gives wrong results: {wrong}" if wrong else ""


def damaged(content: bytes, flips: int) -> Iterator[tuple[str, bytes]]:
    """What is left of data after damage of all kinds; the same for the same data on every call."""
    size = len(content)
    for cut in sorted({0, 1, 7, 16, size // 2, size - 1}):
        if 0 <= cut < size:
            yield f"cut off after {cut} bytes", content[:cut]
    yield "with a byte too many", content + b"\0"
    yield "with another magic", b"NOTABLOB" + content[8:]
    yield "of zeros", bytes(size)
    yield "of ones", b"\xff" * size
    yield "of noise", random.Random(_SEED).randbytes(size)
    chance = random.Random(_SEED)
    bits = [chance.randrange(8 * min(size, _HEAD)) for _ in range(flips // 2)]
    bits += [chance.randrange(8 * size) for _ in range(flips - len(bits))]
    for bit in dict.fromkeys(bits):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        yield f"with bit {bit} flipped", bytes(changed)


def names(press: Press, modes: tuple[str, ...]) -> Iterable[Check]:
    """Names of the file beside a model that must not be followed. What they lead to is good."""
    if "external" not in modes:
        return
    for label, prepare in _NAMES.items():
        place = press.folder / label.replace(" ", "-") / "models"
        yield f"names/{label}", partial(_not_followed, press, place, prepare)


def _not_followed(press: Press, place: Path, prepare: Callable[[Path], str]) -> str:
    model = copied(press.made("external"), place)
    blob = blob_of(model)
    name = prepare(blob)
    model.write_bytes(edited(model, CACHE, name.encode()))
    return refused(lambda: press.load(model), accepted=f"the name {name[:60]!r} is followed")


def _outside(blob: Path) -> Path:
    """Moves the file to where no model may reach."""
    place = blob.parent.parent / "outside"
    place.mkdir()
    return blob.rename(place / blob.name)


def _link(blob: Path) -> str:
    target = _outside(blob)
    try:
        blob.symlink_to(target)
    except OSError as error:
        raise NotCheckedError(f"no links can be made here: {error}") from error
    return blob.name


def _linked_folder(blob: Path) -> str:
    target = _outside(blob)
    try:
        (blob.parent / "sub").symlink_to(target.parent, target_is_directory=True)
    except OSError as error:
        raise NotCheckedError(f"no links can be made here: {error}") from error
    return f"sub/{blob.name}"


def _fifo(blob: Path) -> str:
    if not hasattr(os, "mkfifo"):
        raise NotCheckedError("this system has no named pipes")
    blob.unlink()
    os.mkfifo(blob)
    return blob.name


def _backslash(blob: Path) -> str:
    blob.rename(blob.with_name(f"sub\\{blob.name}"))
    return f"sub\\{blob.name}"


def _round_about(blob: Path) -> str:
    (blob.parent / "sub").mkdir()
    return f"sub/../{blob.name}"


def _folder(blob: Path) -> str:
    blob.unlink()
    blob.mkdir()
    return blob.name


_NAMES: dict[str, Callable[[Path], str]] = {
    "absolute": lambda blob: str(_outside(blob)),
    "absolute inside": str,
    "parent folder": lambda blob: f"../outside/{_outside(blob).name}",
    "round about": _round_about,
    "backslash": _backslash,
    "link to outside": _link,
    "linked folder": _linked_folder,
    "folder": _folder,
    "empty": lambda blob: "",
    "dot": lambda blob: ".",
    "10,000 characters": lambda blob: "x" * 10_000,
    "NUL": lambda blob: f"{blob.name}\0.bin",
    "pipe": _fifo,
}
