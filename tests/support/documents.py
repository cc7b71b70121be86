"""What a document has its reader do: the files to save and the commands to type, in its order.

``sh`` blocks are commands that must succeed. ``console`` blocks show a terminal: lines that begin
with ``$`` are typed, the lines below one are what it prints, where ``...`` stands for anything, in
a line or for lines; ``; echo $?`` shows how a command ended. A block below a sentence such as "Save
this as `PATH`:" is that file. Python that is not saved is run as it is. Any other block of code is
a quotation: of a file that is there by then, or, of YAML, of a blueprint. All of it happens in one
shell, as with a reader.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path

from terminal import environment

REPOSITORY = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_SAVED = re.compile(r"\bsave\s+(?:this\s+|it\s+)?as\s+`([^`\n]+)`[^`]*:\s*\Z", re.I)
_HEREDOC = re.compile(r"<<\s*'?(\w+)'?")
_TYPED = ("sh", "console")
_SOURCES = ("cc", "h", "cu", "py", "toml", "json", "txt")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language ("" where it names none), its text, the path to save it as."""

    language: str
    text: str
    saved: str | None


@dataclass(frozen=True)
class Command:
    """What is typed, and what is shown below it: nothing is said about that where it is empty."""

    text: str
    shown: tuple[str, ...] = ()


def blocks(document: Path) -> list[Block]:
    """The fenced blocks of a document, in order."""
    text = document.read_text(encoding="utf-8")
    found = []
    for match in _BLOCK.finditer(text):
        saved = _SAVED.search(text[: match.start()])
        found.append(Block(match[1], match[2], saved[1] if saved else None))
    return found


def commands(document: Path) -> list[Command]:
    """The commands of a document, in order; a command may have several lines."""
    return [command for block in blocks(document) for command in typed(block)]


def typed(block: Block) -> list[Command]:
    """The commands of one block."""
    if block.language == "sh":
        return [Command(text) for text in _joined(block.text.splitlines())]
    if block.language == "python" and not block.saved:
        return [Command(f"python - <<'PYTHON'\n{block.text}PYTHON")]
    if block.language != "console":
        return []
    assert block.text.startswith("$ "), f"a console begins with a command: {block.text[:80]}"
    found: list[list[str]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append([line[2:]])
        elif line.startswith("> ") and len(found[-1]) == 1:
            found[-1][0] += "\n" + line[2:]
        else:
            found[-1].append(line)
    return [Command(text, tuple(shown)) for text, *shown in found]


def _joined(lines: list[str]) -> list[str]:
    """Whole commands: with the lines that a backslash or a here-document adds to them."""
    found = []
    rest = iter(lines)
    for line in rest:
        if not line.strip() or line.startswith("#"):
            continue
        whole = [line]
        while whole[-1].endswith("\\"):
            whole.append(next(rest))
        here = _HEREDOC.search(line)
        while here and whole[-1] != here[1]:
            whole.append(next(rest))
        found.append("\n".join(whole))
    return found


def follow(document: Path, place: Path, *, tools: bool = True, without: str = "") -> None:
    """Does in ``place`` what the document says, and holds what is printed against what it shows.

    Args:
        document: the document.
        place: the directory to be in. Files that the document saves are saved there.
        tools: whether ``epforge`` and ``python`` are those of the tests. Otherwise the document
            makes them, and nothing of the tests' environment is seen.
        without: commands that end with this are left out.
    """
    mark = uuid.uuid4().hex
    script = []
    asked = []
    for block in blocks(document):
        if block.saved:
            end = f"END_{mark}"
            script.append(f"mkdir -p \"$(dirname '{block.saved}')\"")
            script.append(f"cat > '{block.saved}' <<'{end}'\n{block.text}{end}")
        elif block.language not in (*_TYPED, "python", "yaml", ""):
            end = f"END_{mark}"
            asked.append(Command(f"(a file here says:)\n{block.text}"))
            check = f"{sys.executable!r} {__file__!r}"
            script.append(f"echo '{mark}'\n{check} <<'{end}'\n{block.text}{end}\n_status=$?")
            script.append(f"[ $_status = 0 ] || exit $_status\necho '{mark}'")
        for command in typed(block):
            if without and command.text.endswith(without):
                continue
            asked.append(command)
            # What a terminal shows may end as it likes; what is to be done must be done.
            how = "+e +o pipefail" if block.language == "console" else "-e -o pipefail"
            script.append(f"set {how}")
            script.append(f"echo '{mark}'")
            script.append(f"{command.text}\n_status=$?")
            script.append(f"[ $_status = 0 ] || exit $_status\necho '{mark}'")
    result = subprocess.run(
        ["bash", "-u", "-s"],
        input="\n".join(script),
        cwd=place,
        env=environment(place) if tools else _clean(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    _before, *outputs = result.stdout.split(f"{mark}\n")
    printed = outputs[::2]
    assert result.returncode == 0, f"$ {asked[len(printed) - 1].text}\n{printed[-1][-6000:]}"
    assert len(printed) == len(asked), "a command has ended the shell"
    wrong = [
        f"$ {command.text}\nshown:\n{chr(10).join(command.shown)}\nprinted:\n{output}"
        for command, output in zip(asked, printed, strict=True)
        if command.shown and not shows(command.shown, output)
    ]
    assert not wrong, f"{document.name}:\n" + "\n".join(wrong)


def shows(shown: tuple[str, ...], output: str) -> bool:
    """Is this what was printed, with ``...`` for anything? Blanks at the end do not count."""
    pattern = ""
    for line in shown:
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            parts = [re.escape(part) for part in line.rstrip().split("...")]
            pattern += "[^\n]*".join(parts) + r"[ ]*\n"
    return re.fullmatch(pattern, output if output.endswith("\n") else output + "\n") is not None


def _clean() -> dict[str, str]:
    """The environment without what the tests add to it."""
    hidden = ("PYTHONPATH", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in hidden}


def checkout(place: Path) -> Path:
    """A place that looks like the checkout to its documents."""
    for name in ("blueprints", "examples"):
        shutil.copytree(REPOSITORY / name, place / name)
    return place


def is_quoted(text: str, place: Path) -> bool:
    """Does a source file below say this, however it is indented?"""
    wanted = " ".join(text.split())
    files = (path for path in place.rglob("*.*") if path.suffix[1:] in _SOURCES)
    return any(wanted in " ".join(path.read_text(errors="ignore").split()) for path in files)


if __name__ == "__main__":
    sys.exit(not is_quoted(sys.stdin.read(), Path.cwd()))
