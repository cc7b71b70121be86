"""Makes a state of the corpus: projects as an earlier epforge scaffolded them, with their owners'
work in them.

    python tests/corpus/make.py COMMIT

takes the blueprints and the owners' edits of the newest state, scaffolds with the epforge of
COMMIT, and leaves ``tests/corpus/DATE-COMMIT/``. The same commit gives the same bytes, but for what
another release of clang-format or of xz would do.
"""

from __future__ import annotations

import argparse
import io
import json
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

CORPUS = Path(__file__).resolve().parent
REPOSITORY = CORPUS.parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("commit", help="what scaffolds")
    parser.add_argument("--like", type=Path, help="the state to take blueprints and edits from")
    arguments = parser.parse_args()
    commit = _git("rev-parse", f"{arguments.commit}^{{commit}}").decode().strip()
    date = _git("show", "--no-patch", "--format=%cs", commit).decode().strip()
    model = arguments.like or newest_state()
    print(make_state(commit, model, CORPUS / f"{date}-{commit[:7]}"))


def newest_state() -> Path:
    """The state with the latest date."""
    return max(path.parent for path in CORPUS.glob("*/state.json"))


def make_state(commit: str, model: Path, to: Path) -> Path:
    """Scaffolds every project of a state anew.

    Args:
        commit: whose epforge scaffolds.
        model: the state whose blueprints, edits and list of projects are taken.
        to: where the new state goes.
    """
    projects = json.loads((model / "state.json").read_text(encoding="utf-8"))["projects"]
    to.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        with tarfile.open(fileobj=io.BytesIO(_git("archive", commit))) as archive:
            archive.extractall(work / "epforge")  # our own: git made it a moment ago
        for name, settings in projects.items():
            for kind in ("yaml", "patch"):
                if model != to:
                    shutil.copyfile(model / f"{name}.{kind}", to / f"{name}.{kind}")
            project = work / name
            _scaffold(work / "epforge", to / f"{name}.yaml", settings["eject"], project)
            _apply(to / f"{name}.patch", project)
            (to / f"{name}.tar.xz").write_bytes(_packed(project))
    state = {"commit": commit, "projects": projects}
    (to / "state.json").write_text(_state_text(state), encoding="utf-8")
    return to


def _scaffold(epforge: Path, blueprint: Path, eject: list[str], project: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(epforge / "generator")}
    calls = [["scaffold", str(blueprint), str(project)]]
    calls += [["eject", "op", op, "--project", str(project)] for op in eject]
    for call in calls:
        command = [sys.executable, "-m", "epforge", *call]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)


def _apply(patch: Path, project: Path) -> None:
    """Applies the owner's edits. A line of context that has moved does not matter."""
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(project.parent)}
    command = ["git", "apply", "--whitespace=nowarn", "-C1", str(patch)]
    subprocess.run(command, cwd=project, env=environment, check=True)


def _packed(project: Path) -> bytes:
    """The project as an archive without times and owners, in the order of its paths."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(project.rglob("*"), key=lambda path: path.as_posix().encode()):
            if not path.is_file():
                continue
            member = tarfile.TarInfo(path.relative_to(project).as_posix())
            content = path.read_bytes()
            member.size = len(content)
            member.mode = 0o755 if os.access(path, os.X_OK) else 0o644
            archive.addfile(member, io.BytesIO(content))
    return lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def _state_text(state: dict[str, object]) -> str:
    return json.dumps(state, indent=2, sort_keys=True) + "\n"


def _git(*arguments: str) -> bytes:
    command = ["git", "-C", str(REPOSITORY), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    main()
