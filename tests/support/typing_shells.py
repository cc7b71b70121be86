"""Shells on a terminal, in which somebody types and presses TAB."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which

import shells
from conversation import terminal

_PROMPT = "ready> "
_TOLD = "\x14"  # Ctrl-T tells the line, and begins another one
_START = {
    "bash": (
        ".bashrc",
        f"PS1='{_PROMPT}'\n"
        'told() { printf "<%s>\\n" "$READLINE_LINE"; READLINE_LINE=; }\n'
        "bind -x '\"\\C-t\": told'\n",
    ),
    "zsh": (
        ".zshrc",
        f"PS1='{_PROMPT}'\nunsetopt prompt_sp\n"
        'told() { print -r -- "<$BUFFER>"; zle send-break }\n'
        "zle -N told\nbindkey '^T' told\n",
    ),
}

#: Types, presses TAB, and returns what is on the line after that.
Type = Callable[[str], str]


@contextlib.contextmanager
def shell(name: str, place: Path) -> Iterator[Type]:
    """A shell for which `epforge --install-completion` has been called.

    Args:
        name: bash or zsh.
        place: where it runs; its home is below.
    """
    program = which(name) or name
    environment = shells.environment(place)
    install = [program, "-c", "epforge --install-completion; true"]
    subprocess.run(install, cwd=place, env=environment, check=True, capture_output=True)
    file, lines = _START[name]
    with (place / "home" / file).open("a", encoding="utf-8") as start:
        start.write(lines)
    with terminal([program, "-i"], environment, place) as seen:
        seen.expect(_PROMPT)

        def type_(keys: str) -> str:
            begin = len(seen.text)
            seen.send(f"{keys}\t{_TOLD}")
            seen.expect(f"<{keys.split()[0]}")
            seen.expect(">")
            seen.expect(_PROMPT)
            return seen.text[begin:].rpartition("<")[2].rpartition(">\n")[0]

        yield type_
