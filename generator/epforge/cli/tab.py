"""What a shell asks when TAB is pressed: it is answered in the words that the shell goes by.

bash cuts words at ``:`` and ``=``, and puts what it gets on the line as it is; fish and zsh want
words whole, and quote them.
"""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout

from typer.completion import get_completion_inspect_parameters

ASKED = "_EPFORGE_COMPLETE"  # set by the script that `--show-completion` prints
_CUTS = frozenset(":=")
# What means something to bash: outside quotes, and in double ones.
_SPECIAL = re.compile(r"[^\w@%+=:,./-]")
_SPECIAL_QUOTED = re.compile(r'["$`\\]')


def answer(run: Callable[[], None]) -> None:
    """Runs the command line, which answers the shell.

    Args:
        run: it; ends the process.
    """
    asked = os.environ.get(ASKED)
    known = quote = option = ""
    if asked == "complete_bash":
        typed = os.environ.get("COMP_WORDS", "").split("\n")
        words, place, known = rejoined(typed, int(os.environ.get("COMP_CWORD") or 0))
        os.environ["COMP_WORDS"], os.environ["COMP_CWORD"] = "\n".join(words), str(place)
        quote = words[place][:1] if place < len(words) else ""
    elif asked in ("complete_fish", "complete_zsh"):
        # Of typer's answers only fish's is words as they are, one a line.
        os.environ[ASKED] = "complete_fish"
        os.environ.setdefault("_TYPER_COMPLETE_FISH_ACTION", "get-args")
        # Both shells replace the whole word, with the option that is in it.
        word = _last_word(os.environ.get("_TYPER_COMPLETE_ARGS", ""))
        option = word[: word.find("=") + 1] if word.startswith("--") else ""
    # typer knows its shells when its own options are made, of which epforge has none.
    get_completion_inspect_parameters()
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            run()
    finally:
        for line in printed.getvalue().splitlines():
            for_bash = asked == "complete_bash"
            print(in_bash(line, quote).removeprefix(known) if for_bash else option + line)


def _last_word(line: str) -> str:
    if line.endswith(" "):
        return ""
    try:
        return shlex.split(line)[-1]
    except (ValueError, IndexError):  # a quotation mark is open
        return line.rpartition(" ")[2]


def in_bash(word: str, quote: str = "") -> str:
    """A word as it is written on a command line of bash.

    Args:
        quote: the quotation mark that it begins with already; empty for none.
    """
    if quote == "'":
        return word.replace("'", "'\\''")
    special = _SPECIAL_QUOTED if quote == '"' else _SPECIAL
    return special.sub(lambda found: f"\\{found[0]}", word)


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
            cut = max(map(value.rfind, _CUTS))
            known = value[: cut + 1] if len(group) > 1 else ""
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
