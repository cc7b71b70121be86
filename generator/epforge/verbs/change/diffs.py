"""Changes of files as unified diffs, in the form that ``git apply`` and ``patch`` take."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from epforge.workspace.outcome import Action

_NO_END = "\\ No newline at end of file\n"


def diff_of(action: Action, *, executable: bool = False) -> str:
    """What one action changes.

    Args:
        action: the change.
        executable: whether a file that it creates has the x bits.

    Returns:
        A diff with git's headers; of a file that is not text, a line that says so.
    """
    old, new = action.source or action.path, action.path
    head = [f"diff --git a/{old} b/{new}\n", *_extended(action, executable)]
    before, after = _text(action.before), _text(action.after)
    if before is None or after is None:
        body = [f"Binary files {_side('a', old, action.before)} and "]
        body[0] += f"{_side('b', new, action.after)} differ\n"
    else:
        body = list(_unified(before, after, action, old, new))
    return "".join([*head, *body])


def _extended(action: Action, executable: bool) -> Iterator[str]:
    if action.before is None:
        yield f"new file mode {'100755' if executable else '100644'}\n"
    elif action.after is None:
        yield "deleted file mode 100644\n"
    elif action.source:
        yield f"rename from {action.source}\n"
        yield f"rename to {action.path}\n"


def _unified(before: str, after: str, action: Action, old: str, new: str) -> Iterator[str]:
    sides = _side("a", old, action.before), _side("b", new, action.after)
    for line in difflib.unified_diff(_lines(before), _lines(after), *sides):
        yield line if line.endswith("\n") else f"{line}\n{_NO_END}"


def _side(letter: str, path: str, content: bytes | None) -> str:
    return "/dev/null" if content is None else f"{letter}/{path}"


def _text(content: bytes | None) -> str | None:
    """The content as text; None if it is none."""
    if content is None:
        return ""
    if b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _lines(text: str) -> list[str]:
    """Lines as diffs count them: they end in LF only."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
