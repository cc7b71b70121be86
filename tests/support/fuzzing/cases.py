"""Case N of a seed: the text of a blueprint."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from epforge.assets import assets_dir
from fuzzing import grammar, spoil

_MOST_READY = 6000  # bytes of a ready blueprint; the catalogues would be most of the time


@cache
def ready() -> tuple[str, ...]:
    """The texts of the ready blueprints."""
    found = sorted(Path(assets_dir("blueprints")).rglob("*.yaml"))
    return tuple(path.read_text(encoding="utf-8") for path in found)


def case(seed: int, number: int) -> bytes:
    """A blueprint: right, nearly right, or a ready one that somebody has spoilt."""
    chance = random.Random(f"{seed}/{number}")
    kind = number % 4
    if kind == 0:
        return grammar.written(grammar.right(chance), chance).encode()
    if kind == 1:
        odd = chance.choice((0.0, 0.02, 0.05, 0.2))
        return grammar.written(grammar.blueprint(chance, odd=odd), chance).encode()
    small = [text for text in ready() if len(text) <= _MOST_READY]
    text = chance.choice(small if chance.random() < 0.95 else ready())
    if kind == 3 and chance.random() < 0.5:
        text = grammar.written(grammar.blueprint(chance, odd=0.02), chance)
    return spoil.spoilt(text, chance, ready())
