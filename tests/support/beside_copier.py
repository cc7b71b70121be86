"""The edits of owners through ``copier update``, beside what epforge makes of them.

    python tests/support/beside_copier.py

prints a table in Markdown. Copier gets the same trees: a template under git whose first tag is the
project before a change and whose second is the one after it. Its template names the files that are
their owner's (``_skip_if_exists``), as one would that is made with care. The owner's project is
under git, and the edit is committed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import regeneration
from edit_model import Edit, Kind
from regeneration import Tree
from regeneration_cells import is_plain
from user_edits import EDITS

from epforge.workspace import ConflictsError, File, Owner

_ANSWERS = "{{ _copier_conf.answers_file }}.jinja"
_ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{role}_NAME": "Owner" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "owner@contoso.example" for role in ("AUTHOR", "COMMITTER")},
}


class Result(StrEnum):
    """What became of an edit."""

    KEPT = "kept"
    CONFLICT = "conflict shown"
    LOST = "lost in silence"
    BACK = "deleted file back"
    MISSED = "update missed"
    FAILED = "no update"


@dataclass(frozen=True)
class Seen:
    """A project after an update.

    Args:
        files: its content.
        reported: paths that the owner is told about.
    """

    files: Mapping[str, bytes]
    reported: frozenset[str]


def judge(edit: Edit, change: str, before: Mapping[str, bytes], seen: Seen | None) -> Result:
    """What became of an edit, by what lies in the tree and what was reported.

    Args:
        edit: the owner's.
        change: what was updated to.
        before: the project with the edit, before the update.
        seen: the project after it; None if there was no update.
    """
    if seen is None:
        return Result.FAILED
    paths = {edit.path, edit.renamed, *_new_paths(edit, change)} - {""}
    if paths & seen.reported:
        return Result.CONFLICT
    if edit.kind is Kind.DELETION or (edit.kind is Kind.GENERATED and not edit.lines):
        return Result.BACK if paths & seen.files.keys() else Result.KEPT
    present = _lines(seen.files.values())
    if not set(edit.lines) <= present or set(edit.gone) & _lines([seen.files.get(edit.path, b"")]):
        return Result.LOST
    own = {path for path in before if path not in regeneration.before().files}
    if any(path not in seen.files for path in own):
        return Result.LOST
    return Result.KEPT if _missed(edit, change) <= present else Result.MISSED


def _missed(edit: Edit, change: str) -> set[str]:
    """The lines that an update brings to the edited file, if it is one that is merged."""
    base, new = regeneration.before().text(edit.path), regeneration.after(change).text(edit.path)
    if not is_plain(edit) or edit.kind is Kind.REFORMAT or base is None or new is None:
        return set()
    return set(new.splitlines()) - set(base.splitlines())


def _new_paths(edit: Edit, change: str) -> set[str]:
    return {regeneration.after(change).renamed.get(edit.path, edit.path)}


def _lines(contents: Iterable[bytes]) -> set[str]:
    texts = (content.decode("utf-8-sig", "replace") for content in contents)
    return {line for text in texts for line in text.splitlines()}


class Epforge:
    """Updates projects as ``epforge regenerate`` does."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._project = regeneration.scaffolded(folder / "epforge")
        self._count = 0

    def meet(self, edit: Edit, change: str) -> Result:
        """What becomes of an edit when the project is updated."""
        self._count += 1
        project = regeneration.linked(self._project, self._folder / f"epforge{self._count}")
        edit.apply(project)
        tree = regeneration.after(change, edit.style)
        regeneration.rewrite_blueprint(project, tree)
        before = regeneration.contents(project)
        reported: frozenset[str] = frozenset()
        try:
            regeneration.apply(project, tree)
        except ConflictsError as error:
            reported = frozenset(conflict.path for conflict in error.outcome.conflicts)
        seen = Seen(regeneration.contents(project), reported)
        shutil.rmtree(project)
        return judge(edit, change, before, seen)


class Copier:
    """Updates projects with ``copier update``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._projects: dict[str, Path] = {}

    def meet(self, edit: Edit, change: str) -> Result:
        """What becomes of an edit when the project is updated."""
        self._count += 1
        project = self._folder / f"copier{self._count}"
        shutil.copytree(self._scaffolded(change), project, symlinks=True)
        edit.apply(project)
        regeneration.rewrite_blueprint(project, regeneration.after(change))
        _git(project, "add", "--all")
        _git(project, "commit", "--quiet", "--message", "edit")
        before = regeneration.contents(project)
        command = [sys.executable, "-m", "copier", "update", "--defaults", "--quiet"]
        done = subprocess.run(command, cwd=project, env=_ENVIRONMENT, capture_output=True)
        seen = None
        if done.returncode == 0:
            seen = Seen(regeneration.contents(project), _unmerged(project))
        shutil.rmtree(project)
        return judge(edit, change, before, seen)

    def _scaffolded(self, change: str) -> Path:
        """The project that copier has made from the template of a change, under git."""
        if change not in self._projects:
            name = change.replace(" ", "-")
            template, project = self._folder / f"t-{name}", self._folder / f"p-{name}"
            template.mkdir()
            _git(template, "init", "--quiet")
            self._release(template, regeneration.before(), "v1.0.0")
            command = [sys.executable, "-m", "copier", "copy", "--defaults", "--quiet"]
            places = ["--vcs-ref", "v1.0.0", str(template), str(project)]
            subprocess.run([*command, *places], env=_ENVIRONMENT, check=True, capture_output=True)
            self._release(template, regeneration.after(change), "v2.0.0")
            _git(project, "init", "--quiet")
            _git(project, "add", "--all")
            _git(project, "commit", "--quiet", "--message", "scaffold")
            self._projects[change] = project
        return self._projects[change]

    def _release(self, template: Path, tree: Tree, tag: str) -> None:
        shutil.rmtree(template / "project", ignore_errors=True)
        for file in tree.files.values():
            _write(template / "project" / file.path, file)
        answers = "{{ _copier_answers | to_nice_yaml }}\n"
        (template / "project" / _ANSWERS).write_text(answers, encoding="utf-8")
        yours = (path for path, file in tree.files.items() if file.owner is Owner.YOURS)
        skipped = "".join(f'  - "{path}"\n' for path in sorted(yours))
        settings = f"_subdirectory: project\n_skip_if_exists:\n{skipped}"
        (template / "copier.yml").write_text(settings, encoding="utf-8")
        _git(template, "add", "--all", "--force")
        _git(template, "commit", "--quiet", "--message", tag)
        _git(template, "tag", tag)


def _write(place: Path, file: File) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(file.content)
    place.chmod(0o755 if file.executable else 0o644)


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "init.defaultBranch=main", "-C", str(folder), *arguments]
    done = subprocess.run(command, env=_ENVIRONMENT, check=True, capture_output=True, text=True)
    return done.stdout


def _unmerged(project: Path) -> frozenset[str]:
    """The files that git calls unmerged, or that have markers: copier leaves both."""
    rows = _git(project, "ls-files", "--unmerged", "-z").split("\0")
    unmerged = {row.partition("\t")[2] for row in rows if row}
    contents = regeneration.contents(project)
    marked = {path for path, content in contents.items() if b"<<<<<<< before updating" in content}
    rejected = {path.removesuffix(".rej") for path in contents if path.endswith(".rej")}
    return frozenset(unmerged | marked | rejected)


Counts = Mapping[tuple[Kind, Result], int]


def measure(cells: Iterable[tuple[Edit, str]]) -> tuple[Counts, Counts]:
    """What becomes of edits with epforge, and with copier."""
    ours: Counter[tuple[Kind, Result]] = Counter()
    theirs: Counter[tuple[Kind, Result]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        epforge, copier = Epforge(Path(folder)), Copier(Path(folder))
        for edit, change in cells:
            ours[edit.kind, epforge.meet(edit, change)] += 1
            theirs[edit.kind, copier.meet(edit, change)] += 1
    return ours, theirs


def table(ours: Counts, theirs: Counts) -> str:
    """Both counts, kind by kind, as a table in Markdown."""
    results = [each for each in Result if any(each == some for _, some in {**ours, **theirs})]
    head = ["edits of the owner's", "tried", *(f"epforge: {each}" for each in results)]
    head += [f"copier: {each}" for each in results]
    rows = [head, ["---", *["---:"] * (len(head) - 1)]]
    kinds: list[tuple[str, tuple[Kind, ...]]] = [(kind.value, (kind,)) for kind in Kind]
    for name, some in [*kinds, ("**all**", tuple(Kind))]:
        columns = [(counts, result) for counts in (ours, theirs) for result in results]
        tried = sum(ours.get((kind, result), 0) for kind in some for result in Result)
        numbers = [sum(counts.get((kind, each), 0) for kind in some) for counts, each in columns]
        rows.append([name, str(tried), *map(str, numbers)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def sample(changes: Iterable[str], size: int | None = None) -> list[tuple[Edit, str]]:
    """Every edit with these changes, or as many of these as are wanted; the same every time."""
    cells = [(edit, change) for change in changes for edit in EDITS]
    return cells if size is None else random.Random("copier").sample(cells, size)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sample", type=int, metavar="N", help="N of the edits and changes")
    parser.add_argument(
        "--change", action="append", choices=regeneration.CHANGES, help="this change; repeatable"
    )
    arguments = parser.parse_args()
    cells = sample(arguments.change or regeneration.CHANGES, arguments.sample)
    print(table(*measure(cells)), end="")


if __name__ == "__main__":
    main()
