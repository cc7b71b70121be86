"""What a shell asks when TAB is pressed: it is answered in the words that the shell goes by.

bash cuts words at ``:`` and ``=``; fish does not, and wants them whole.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout

ASKED = "_EPFORGE_COMPLETE"  # set by the script that `--show-completion` prints
_CUTS = frozenset(":=")


def answer(run: Callable[[], None]) -> None:
    """Runs the command line, which answers the shell.

    Args:
        run: it; ends the process.
    """
    known = more = ""
    if os.environ.get(ASKED) == "complete_bash":
        typed = os.environ.get("COMP_WORDS", "").split("\n")
        words, place, known = rejoined(typed, int(os.environ.get("COMP_CWORD") or 0))
        os.environ["COMP_WORDS"], os.environ["COMP_CWORD"] = "\n".join(words), str(place)
    elif os.environ.get(ASKED) == "complete_fish":
        # fish replaces the whole word, with the option that is in it.
        word = os.environ.get("_TYPER_COMPLETE_ARGS", "").rpartition(" ")[2]
        more = word[: word.find("=") + 1] if word.startswith("--") else ""
    if not known and not more:
        run()
        return
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            run()
    finally:
        for line in printed.getvalue().splitlines():
            print(more + line.removeprefix(known))


def rejoined(words: Sequence[str], place: int) -> tuple[list[str], int, str]:
    """Words as they were typed.

    Args:
        words: as bash has cut them: ``com.microsoft``, ``::``, ``Bias``.
        place: the one that is completed.

    Returns:
        the words, the place of the completed one, and what bash knows of that already.
    """
    groups = list(_groups(words))
    for index, group in enumerate(groups):
        if place in group:
            whole = "".join(words[each] for each in group if each <= place)
            value = whole.partition("=")[2] if whole.startswith("-") else whole
            known = value[: value.rfind(":") + 1] if len(group) > 1 else ""
            joined = ["".join(words[each] for each in group) for group in groups[:index]]
            return [*joined, whole], index, known
    return list(words), place, ""


def _groups(words: Sequence[str]) -> Iterator[list[int]]:
    """The places of words that belong together."""
    group: list[int] = []
    for index, word in enumerate(words):
        is_cut = bool(word) and set(word) <= _CUTS
        after_cut = bool(group) and set(words[group[-1]]) <= _CUTS
        if group and (is_cut or after_cut):
            group.append(index)
        else:
            if group:
                yield group
            group = [index]
    if group:
        yield group
