#!/usr/bin/env python3
<%= banner %>
"""Lists the commits since a release that concern what is released.

    python packaging/release_notes.py --from v0.1.0 [--to REF]

Which paths these are, and below which headings, is in packaging/paths.txt.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_PROJECT = Path(__file__).resolve().parents[1]
_PATHS = _PROJECT / "packaging/paths.txt"


class NotesError(Exception):
    """The commits cannot be told; the text says why and what to do."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--from", dest="tag", required=True, help="tag of the release before")
    parser.add_argument("--to", default="HEAD", help="the last commit to list; HEAD by default")
    options = parser.parse_args(arguments)
    try:
        print(notes(options.tag, options.to), end="")
    except (NotesError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def notes(tag: str, to: str) -> str:
    """The notes, in Markdown.

    Raises:
        NotesError: there is no such tag or commit, or `paths.txt` cannot be understood.
    """
    inside = _git("rev-parse", "--is-inside-work-tree")
    if inside.returncode:
        raise NotesError(f"git: {inside.stderr.strip()}")
    start = _commit(f"refs/tags/{tag}")
    if start is None:
        cure = "in a shallow clone: git fetch --tags --unshallow"
        raise NotesError(f"there is no tag {tag!r} here; {cure}")
    end = _commit(to)
    if end is None:
        raise NotesError(f"there is no commit {to!r} here")
    parts = [f"Changes since {_plain(tag)}\n"]
    told: set[str] = set()
    for heading, paths in sections(_PATHS.read_text(encoding="utf-8")).items():
        commits = _commits(f"{start}..{end}", paths)
        lines = [f"* {_plain(text)} ({short})" for full, short, text in commits if full not in told]
        told.update(full for full, _, _ in commits)
        if lines:
            parts.append("\n".join([f"## {heading}", "", *lines, ""]))
    if len(parts) == 1:
        parts.append("Nothing that concerns the packages.\n")
    return "\n".join(parts)


def sections(text: str) -> dict[str, list[str]]:
    """The pathspecs below each heading.

    Raises:
        NotesError: a path without a heading, or a heading that is there twice.
    """
    found: dict[str, list[str]] = {}
    paths: list[str] | None = None
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            heading = line[1:-1].strip()
            if heading in found:
                raise NotesError(f"{_PATHS}:{number}: a second heading [{heading}]")
            paths = found.setdefault(heading, [])
        elif paths is None:
            raise NotesError(f"{_PATHS}:{number}: {line} is below no heading, such as [Library]")
        else:
            paths.append(line)
    return {heading: paths for heading, paths in found.items() if paths}


def _commit(name: str) -> str | None:
    # What begins with a dash stays a name, and what is a tag is not taken for anything else.
    result = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return result.stdout.strip() if result.returncode == 0 else None


def _commits(span: str, paths: Sequence[str]) -> list[tuple[str, str, str]]:
    """Each commit's name, its short name and its subject; the newest first."""
    command = ["log", "-z", "--no-merges", "--no-color", "--no-show-signature"]
    result = _git("-c", "log.follow=false", *command, "--format=%H%x09%h%x09%s", span, "--", *paths)
    if result.returncode:
        raise NotesError(f"git log: {result.stderr.strip()}")
    found = []
    for line in filter(None, result.stdout.split("\0")):
        full, short, subject = line.split("\t", 2)
        found.append((full, short, subject))
    return found


def _plain(text: str) -> str:
    """One line without what a terminal would obey."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", *arguments],
        cwd=_PROJECT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main())
