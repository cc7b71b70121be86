"""Characters that look like those of a blueprint and are others: of other alphabets, of other
widths, and those that cannot be seen."""

from __future__ import annotations

import unicodedata

# Letters, each under the one that it looks like.
_LETTERS = {
    "A": "АΑ", "B": "ВΒ", "C": "СϹ", "E": "ЕΕ", "H": "НΗ", "I": "ІΙ", "J": "Ј", "K": "КΚ",
    "M": "МΜ", "N": "Ν", "O": "ОΟ", "P": "РΡ", "S": "Ѕ", "T": "ТΤ", "X": "ХΧ", "Y": "ҮΥ", "Z": "Ζ",
    "a": "аɑ", "c": "сϲ", "d": "ԁ", "e": "е", "g": "ɡ", "h": "һ", "i": "іı", "j": "ј", "o": "оο",
    "p": "рρ", "q": "ԛ", "s": "ѕ", "u": "υ", "v": "ν", "w": "ԝ", "x": "х", "y": "у",
}  # fmt: skip
_DASHES = "‐‑‒–—―−"  # those of typographers, and the sign of minus
_AS_LATIN = str.maketrans(
    {other: letter for letter, others in _LETTERS.items() for other in others}
    | dict.fromkeys(_DASHES, "-")
    | dict.fromkeys("’‘", "'")
    | dict.fromkeys("“”„", '"')
    | {"、": ",", "。": "."}
)
#: Signs of other widths, which are part of no word, and the signs of YAML that they look like.
SIGNS = {"：": ":", "﹕": ":", "，": ",", "、": ",", "［": "[", "］": "]", "｛": "{", "｝": "}",
         "＃": "#", "－": "-", "；": ";"}  # fmt: skip


def as_latin(text: str) -> str:
    """A text with the letters, digits and signs that its characters look like, and without those
    that cannot be seen. A text of another alphabet stays as it is but for the latter."""
    if text.isascii():
        return text
    seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
    latin = unicodedata.normalize("NFKC", seen.translate(_AS_LATIN)).translate(_AS_LATIN)
    return latin if latin.isascii() else seen
