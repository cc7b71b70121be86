"""TAB: what a shell offers, asked as the shell asks."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
import shells
from cli_project import tree

from epforge.cli import complete
from epforge.cli.main import VERBS
from epforge.cli.tab import rejoined
from epforge.ops import schemas


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with a few files."""
    for name in (
        "one.yaml",
        "two.yml",
        "model.onnx",
        "lib.so",
        "deep/er/three.yaml",
        ".hidden.yaml",
        "a $ b's.yaml",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def test_verbs_and_options_are_offered(place: Path) -> None:
    assert set(shells.bash("epforge ", place)) == set(VERBS)
    assert shells.bash("epforge val", place) == ["validate"]
    assert shells.bash("epforge add ", place) == ["op", "device", "option"]
    assert "--runtime" in shells.bash("epforge validate --r", place)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("epforge validate --rung me", ["memory"]),
        ("epforge validate --rung=thr", ["threads"]),
        ("epforge build --preset ", list(complete.PRESETS)),
        ("epforge build --target win", ["windows-x64"]),
        ("epforge regenerate --on-conflict th", ["theirs"]),
        ("epforge ops list --status st", ["stub"]),
        ("epforge ops show Resi", ["Resize"]),
        ("epforge add op Relu com.microsoft::BiasGe", ["BiasGelu"]),
        ("epforge add op Relu --types float32,bfl", ["float32,bfloat16"]),
        ("epforge add op Relu --types T=flo", ["T=float32", "T=float16", "T=float64"]),
        ("epforge api show OrtEp.Comp", ["OrtEp.Compile"]),
        ("epforge api keys ep-", ["ep-device"]),
        ("epforge upgrade --ort 1.3", ["1.30", "1.31", "1.32"]),
        ("epforge templates show plugin/READ", ["plugin/README.md"]),
        ("epforge schema --of regen", ["regenerate"]),
    ],
)
def test_values_are_offered(typed: str, offered: list[str], place: Path) -> None:
    found = shells.bash(typed, place)
    if "=flo" in typed:  # bash knows what is before the sign already
        found = [f"T={word}" if "=" not in word else word for word in found]
    assert set(offered) <= set(found)
    if len(offered) == 1:
        assert found == offered


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (
            "epforge check ",
            {"one.yaml", "two.yml", "a\\ \\$\\ b\\'s.yaml", "bin/", "deep/", "home/"},
        ),
        ("epforge check on", {"one.yaml"}),
        ("epforge scaffold de", {"deep/er/three.yaml"}),
        ("epforge check .", {".hidden.yaml"}),
        ("epforge compile mo", {"model.onnx"}),
        ("epforge inspect li", {"lib.so"}),
        ("epforge check 'on", {"one.yaml"}),
        ("epforge check a", {"a\\ \\$\\ b\\'s.yaml"}),
        ("epforge check nowhere/", set()),
    ],
)
def test_files_are_offered_by_their_endings(typed: str, offered: set[str], place: Path) -> None:
    shells.environment(place)
    assert {each for each in shells.bash(typed, place) if each} == offered


def test_what_is_listed_here_is_what_there_is() -> None:
    from epforge.build.targets import TARGETS
    from epforge.ops.model import DType
    from epforge.validate import RUNGS

    assert tuple(map(str, RUNGS)) == complete.RUNGS
    assert set(complete.TARGETS) == set(TARGETS)
    assert len(complete.operators("")) == sum(
        len(schemas.names(domain)) for domain in schemas.domains()
    )
    assert {each.text for each in DType} == set(complete.types(""))


@pytest.mark.parametrize(
    ("words", "place", "expected"),
    [
        (["e", "--a", "=", "b"], 3, (["e", "--a=b"], 1, "")),
        (["e", "--a", "="], 2, (["e", "--a="], 1, "")),
        (["e", "x", "::", "y"], 3, (["e", "x::y"], 1, "x::")),
        (["e", "x", "::", "y", ""], 4, (["e", "x::y", ""], 2, "")),
        (["e", "--a", "=", "T", "=", "y"], 5, (["e", "--a=T=y"], 1, "T=")),
        (["e", "T", "=", "x,y"], 3, (["e", "T=x,y"], 1, "T=")),
        (["e", "--a", "=", "x", "::", "y"], 5, (["e", "--a=x::y"], 1, "x::")),
        (["e", "x::y"], 1, (["e", "x::y"], 1, "")),  # a bash that does not cut at colons
        (["e", "a", "b"], 7, (["e", "a", "b"], 7, "")),
    ],
)
def test_what_bash_has_cut_is_joined(
    words: list[str], place: int, expected: tuple[list[str], int, str]
) -> None:
    assert rejoined(words, place) == expected


def test_nothing_heavy_is_imported_for_a_tab(place: Path) -> None:
    code = (
        "import sys; from epforge.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'onnx', 'onnxruntime', 'numpy', 'lief', 'copier', 'ruamel', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    for typed in ("epforge validate --rung ", "epforge add op Re", "epforge check on"):
        asked = {
            **shells.environment(place),
            "_EPFORGE_COMPLETE": "complete_bash",
            "COMP_WORDS": typed.replace(" ", "\n"),
            "COMP_CWORD": str(typed.count(" ")),
        }
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=asked,
            cwd=place,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip(), typed
        assert done.stderr.strip() == "[]", typed


def test_what_is_only_shown_changes_nothing(place: Path) -> None:
    shells.environment(place)
    before = tree(place)
    assert "complete -o default -F" in shells.run("bash", "epforge --show-completion; true", place)
    assert tree(place) == before


def test_what_is_installed_is_a_script_and_a_line(place: Path) -> None:
    (place / "home").mkdir()
    (place / "home/.bashrc").write_text("# mine\n")
    shells.run("bash", "epforge --install-completion; true", place)
    assert set(tree(place / "home")) == {".bashrc", ".bash_completions/epforge.sh"}
    told = (place / "home/.bashrc").read_text()
    assert told.startswith("# mine\n")
    assert ".bash_completions/epforge.sh" in told


@pytest.mark.parametrize("option", ["--show-completion", "--install-completion"])
def test_another_shell_is_told_which_there_are(place: Path, option: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"epforge {option}; exit $?"],
        cwd=place,
        env=shells.environment(place),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stdout
    assert "Call it from bash, zsh, fish or PowerShell." in done.stderr
    assert tree(place / "home") == {}


def test_options_that_stop_are_no_answer_to_a_shell(place: Path) -> None:
    for option in ("--version", "--install-completion"):
        assert shells.bash(f"epforge {option} val", place) == ["validate"]


@pytest.fixture(scope="module")
def fish(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """fish out of Debian's packages, not installed."""
    if which("apt-get") is None:
        pytest.skip("fish is taken from Debian")
    place = tmp_path_factory.mktemp("fish")
    command = ["apt-get", "download", "fish", "fish-common", "libpcre2-32-0"]
    got = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    if got.returncode:
        pytest.skip(f"apt has no fish: {got.stderr.strip()}")
    for package in place.glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, place / "root"], check=True)
    return place / "root/usr"


@pytest.mark.lab
def test_fish_is_offered_the_same(fish: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (libraries,) = {path.parent for path in fish.rglob("libpcre2-32.so.*")}
    monkeypatch.setenv("LD_LIBRARY_PATH", str(libraries))
    monkeypatch.setenv("PATH", str(fish / "bin"), prepend=os.pathsep)
    asked = {
        "epforge validate --rung me": "memory",
        "epforge validate --rung=me": "--rung=memory",
        "epforge add op com.microsoft::BiasGe": "com.microsoft::BiasGelu",
        "epforge check on": "one.yaml",
    }
    lines = "".join(f"; complete -C '{typed}'" for typed in asked)
    script = f"epforge --show-completion | source{lines}"
    assert shells.run("fish", script, place).splitlines() == [*asked.values()]
