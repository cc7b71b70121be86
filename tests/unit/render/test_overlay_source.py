"""Templates of copier and cookiecutter: what they see, what they may not do, what is refused."""

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from overlay_templates import FOLDER, cookiecutter, copier, rendered, write

from epforge.render.overlay.errors import OverlayError
from epforge.render.overlay.source import _WORKER, Bounds

lab = pytest.mark.lab
Files = Mapping[str, str | bytes]


@pytest.fixture(autouse=True)
def _nothing_else_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The runs' own temporary directories are gone afterwards, and nothing lies beside them."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setenv("OVERLAY_SECRET", "hunter2")
    yield
    assert os.listdir(place) == []
    assert not Path("/tmp/epforge-overlay-evil").exists()


def refusal(
    tmp_path: Path,
    files: Files,
    *,
    data: Mapping[str, str] | None = None,
    bounds: Bounds | None = None,
) -> tuple[str, str]:
    with pytest.raises(OverlayError) as caught:
        rendered(tmp_path, files, data=data, bounds=bounds)
    start = "b.yaml:7: overlay style: "
    assert caught.value.message.startswith(start)
    assert str(tmp_path) not in caught.value.message
    return caught.value.message.removeprefix(start), caught.value.cure


def test_a_copier_template_sees_the_project_its_answers_and_its_questions(tmp_path: Path) -> None:
    write(tmp_path / "style", {"run.sh": "#!/bin/sh\n"})
    (tmp_path / "style/run.sh").chmod(0o755)
    files = rendered(
        tmp_path,
        copier(
            {
                "CODEOWNERS.jinja": "{{ epforge.vendor }}|{{ epforge.names.ep }}|{{ team }}|{{n}}\n"
                "{{ epforge.ops | join(' ') }}\n",
                ".github/workflows/x.yml": "${{ github.ref }}\n",
                "logo.png": b"\x89PNG\0\xff",
                "{{ _copier_conf.answers_file }}.jinja": "{{ _copier_answers | to_nice_yaml }}",
                "env.jinja": "{{ ['', 'HOME'] | join('$') | upper }} {{ _copier_python }}\n",
                "m.jinja": "{% macro f() %}{{ epforge.name }}{% endmacro %}{{ f() }}\n",
                "left/out": "",
            },
            "_exclude: [copier.yml, left]\nteam: {type: str, default: '{{ epforge.name }}'}\n"
            "n: {type: int, default: 1}\n---\n!include more.y*ml\n",
        )
        | {"more.yaml": "other: {type: str, default: x}\n"},
        data={"n": "5"},
    )
    assert list(files) == sorted(files)
    texts = {name: item.content.decode() for name, item in files.items() if name != "logo.png"}
    assert texts == {
        ".copier-answers.yml": "_src_path: template\nn: 5\nother: x\nteam: contoso-npu\n",
        ".github/workflows/x.yml": "${{ github.ref }}\n",
        "CODEOWNERS": "{{ 7 * 7 }} & Söhne|ContosoNpuExecutionProvider|contoso-npu|5\nRelu Add\n",
        "env": "$HOME python\n",
        "m": "contoso-npu\n",
        "more.yaml": "other: {type: str, default: x}\n",
        "run.sh": "#!/bin/sh\n",
    }
    assert files["logo.png"].content == b"\x89PNG\0\xff"
    assert {name for name, item in files.items() if item.executable} == {"run.sh"}


def test_a_cookiecutter_template_sees_the_same(tmp_path: Path) -> None:
    files = rendered(
        tmp_path,
        cookiecutter(
            {
                "a/{{cookiecutter.team}}.txt": "{{ epforge.vendor }} {{ cookiecutter.team }}\n",
                "raw/b": "{{ x }}\n",
                "logo.png": b"\x89PNG\0\xff",
            },
            '{"slug": "{{ epforge.name }}", "team": "a", "_copy_without_render": ["raw"]}',
        ),
        data={"team": "zoo"},
    )
    assert {name: item.content for name, item in files.items()} == {
        "a/zoo.txt": "{{ 7 * 7 }} & Söhne zoo\n".encode(),
        "logo.png": b"\x89PNG\0\xff",
        "raw/b": b"{{ x }}\n",
    }
    assert not stat.S_IXUSR & (tmp_path / "style/cookiecutter.json").stat().st_mode


# What is found before the tool runs costs little, so all of it is plain.
CODE = [
    (copier({"a": ""}, "q: 1\n_tasks: ['touch x']\n"), "copier.yml:2: _tasks runs commands"),
    (
        copier({"a": ""}, "\n_migrations: [{version: 1, before: [x]}]\n"),
        "copier.yml:2: _migrations runs commands",
    ),
    (
        copier({"a": ""}, "_jinja_extensions: [local.Extension]\n"),
        "copier.yml:1: _jinja_extensions imports Python code",
    ),
    (
        copier({"a": ""}, "x: &a {_tasks: [ls]}\n<<: [*a]\n"),
        "copier.yml:1: _tasks runs commands",
    ),
    (
        copier({"a": "", "more.yml": "\n\n_tasks: !include x\n"}, "!include more.yml\n"),
        "more.yml:3: _tasks runs commands",
    ),
    (
        cookiecutter({"a": ""}, '{"slug": "x",\n "_extensions": ["local_extensions.X"]}'),
        "cookiecutter.json:2: _extensions imports Python code",
    ),
    (
        {**cookiecutter({"a": ""}), "hooks/pre_gen_project.sh": "touch x\n"},
        "hooks/pre_gen_project.sh:1: a hook runs commands",
    ),
    (
        {**cookiecutter({"a": ""}), "hooks/pre_prompt.py": ""},
        "hooks/pre_prompt.py:1: a hook runs commands",
    ),
]


@pytest.mark.parametrize(("files", "what"), CODE, ids=[what for _, what in CODE])
def test_code_of_a_template_is_refused_with_its_line_and_the_flag(
    tmp_path: Path, files: Files, what: str
) -> None:
    said, cure = refusal(tmp_path, files)
    assert said == what
    assert "--trust" in cure


BROKEN = [
    ({"a": "x"}, "it has neither a copier.yml nor a cookiecutter.json"),
    ({**copier({}), **cookiecutter({})}, "it has both a copier.yml and a cookiecutter.json"),
    (copier({"a": ""}, "a: [\n"), "copier.yml:2:1: not valid YAML: "),
    (copier({"a": ""}, "!include ../x.yml\n"), "copier.yml: it includes ../x.yml"),
    (copier({"a": ""}, "!include /etc/*.yml\n"), "copier.yml: it includes /etc/*.yml"),
    (cookiecutter({"a": ""}, "{\n,"), "cookiecutter.json:2:1: not JSON: "),
    (cookiecutter({"a": ""}, "[]"), "cookiecutter.json:1: not an object of variables"),
    (
        cookiecutter({"a": ""}, '{"slug": "x",\n\n"templates": {}}'),
        "cookiecutter.json:3: a choice of templates",
    ),
]


@pytest.mark.parametrize(("files", "what"), BROKEN, ids=[what for _, what in BROKEN])
def test_what_is_no_template_is_refused_with_its_place(
    tmp_path: Path, files: Files, what: str
) -> None:
    said, cure = refusal(tmp_path, files)
    assert said.startswith(what)
    assert "--trust" not in cure


def test_an_answer_that_nobody_asked_for_is_refused(tmp_path: Path) -> None:
    said, _ = refusal(tmp_path, cookiecutter({"a": ""}), data={"slog": "y"})
    assert said == "cookiecutter.json has no variable slog; it has slug"


def evil(kind: str, path: str) -> Files:
    """A template with a file, or a directory, whose name is ``path`` once it is rendered."""
    if kind.startswith("copier"):
        name = "{{ e }}/a.jinja" if kind.endswith("dir") else "{{ e }}.jinja"
        return copier({name: "x"}, f"e: {path}\n")
    if kind == "cookiecutter top":
        return cookiecutter({"a": "x"}, f'{{"slug": "{path}"}}')
    name = "{{cookiecutter.e}}/a" if kind.endswith("dir") else "{{cookiecutter.e}}"
    return cookiecutter({name: "x"}, f'{{"slug": "x", "e": "{path}"}}')


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("copier", "../../evil"),
        ("cookiecutter", "../../evil"),
        ("cookiecutter", "/tmp/epforge-overlay-evil"),
        pytest.param("cookiecutter", "../evil", marks=lab),
        pytest.param("cookiecutter", "../../home/evil", marks=lab),
        pytest.param("cookiecutter dir", "../../template/evil", marks=lab),
        pytest.param("cookiecutter dir", "/tmp/epforge-overlay-evil", marks=lab),
        pytest.param("cookiecutter top", "/tmp/epforge-overlay-evil", marks=lab),
        pytest.param("cookiecutter top", "../evil", marks=lab),
        pytest.param("copier", "../evil", marks=lab),
        pytest.param("copier", "/tmp/epforge-overlay-evil", marks=lab),
        pytest.param("copier dir", "../../template/evil", marks=lab),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, kind: str, path: str) -> None:
    said, _ = refusal(tmp_path, evil(kind, path))
    assert "evil" in said
    assert "forbidden" in said or "outside its directory" in said


ESCAPES = ("{{ ''.__class__.__mro__ }}", "{{ cycler.__init__.__globals__.os.environ }}")


@pytest.mark.parametrize(
    ("files", "place"),
    [
        (cookiecutter({"a": f"\n{ESCAPES[1]}"}), f"{FOLDER}/a:2: "),
        pytest.param(copier({"a.jinja": f"\n\n{ESCAPES[0]}"}), "a.jinja:3: ", marks=lab),
        pytest.param(copier({"a.jinja": ESCAPES[1]}), "a.jinja:1: ", marks=lab),
        pytest.param(copier({"a.jinja": ""}, f'q: "{ESCAPES[0]}"\n'), "", marks=lab),
        pytest.param(cookiecutter({"a": ESCAPES[0]}), f"{FOLDER}/a:1: ", marks=lab),
        pytest.param(
            cookiecutter({"a": ""}, f'{{"slug": "x", "b": "{ESCAPES[1]}"}}'), "", marks=lab
        ),
        pytest.param(cookiecutter({"x" + ESCAPES[1]: ""}), "", marks=lab),
    ],
)
def test_jinja_reaches_no_python(tmp_path: Path, files: Files, place: str) -> None:
    said, _ = refusal(tmp_path, files)
    assert said.startswith(f"{place}access to attribute '__")
    assert said.endswith("is unsafe.")


LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


def test_a_template_that_never_ends_is_ended(tmp_path: Path) -> None:
    said, cure = refusal(tmp_path, cookiecutter({"a": LOOP}), bounds=Bounds(seconds=1.5))
    assert said == "the template was not done after 1.5 seconds"
    assert "loop" in cure


@pytest.mark.parametrize(
    ("files", "what"),
    [
        (copier({"{% yield i from range(2000) %}{{i}}{% endyield %}": "x" * 100_000}), "10 MB"),
        pytest.param(cookiecutter({"a": "{{ 'x' * 1000000000 }}"}), "too much memory", marks=lab),
        pytest.param(
            copier({"a.jinja": "{% for i in range(99) %}{{ 'x' * 1000000 }}{% endfor %}"}),
            "too large",
            marks=lab,
        ),
    ],
)
def test_a_result_that_is_too_large_is_refused(tmp_path: Path, files: Files, what: str) -> None:
    assert what in refusal(tmp_path, files)[0]


@pytest.mark.parametrize(
    ("files", "what"),
    [
        (cookiecutter({"a": "ok\n{{ '\\x1b[31m' }}"}), "the template's a has '\\x1b' in line 2"),
        pytest.param(copier({"a.jinja": "{{ '\\0' }}"}), "a has '\\x00' in line 1", marks=lab),
        pytest.param(copier({"a.jinja": "{{ '\\u202e' }}"}), "a has '\\u202e'", marks=lab),
        pytest.param(
            copier({"a.jinja": "{{ _copier_conf.src_path }}"}),
            "the template's a holds the path of a temporary directory",
            marks=lab,
        ),
        pytest.param(copier({"a.jinja": "{{ pathjoin }}"}), "an address in memory", marks=lab),
        pytest.param(copier({"a.jinja": "\n{{ [1] | random }}"}), "a.jinja:2: random", marks=lab),
        pytest.param(copier({"a.jinja": "{{ '%Y' | strftime }}"}), "strftime is not", marks=lab),
        pytest.param(copier({"a.jinja": "{{ '*' | fileglob }}"}), "fileglob is not", marks=lab),
        pytest.param(cookiecutter({"a": "{{ uuid4() }}"}), "uuid4 is not there", marks=lab),
        pytest.param(cookiecutter({"a": "\n{% now 'utc' %}"}), ":2: ", marks=lab),
        pytest.param(cookiecutter({"a": "{{ cookiecutter.b }}"}), "attribute 'b'", marks=lab),
        pytest.param(cookiecutter({"a": "\n\n{% if %}"}), f"{FOLDER}/a:3: ", marks=lab),
        pytest.param(
            cookiecutter({"{{cookiecutter.a}}": "x", "b": "y"}, '{"slug": "x", "a": "b"}'),
            "two of its files become x/b",
            marks=lab,
        ),
        pytest.param(copier({"a.jinja": "{% include 'a.jinja' %}"}), "in circles", marks=lab),
        pytest.param(copier({"a.jinja": ""}, "q: {type: str}\n"), '"q" is required', marks=lab),
        pytest.param(copier({"t/a": ""}, "_subdirectory: ..\n"), "forbidden", marks=lab),
        pytest.param(copier({}), "it becomes no files", marks=lab),
    ],
)
def test_a_result_that_would_not_be_the_same_or_not_be_text_is_refused(
    tmp_path: Path, files: Files, what: str
) -> None:
    assert what in refusal(tmp_path, files)[0]


def test_trusted_templates_run_what_they_have(tmp_path: Path) -> None:
    hook = "import os\nopen('made', 'w').write(os.environ.get('OVERLAY_SECRET', 'no secret'))\n"
    files = {**cookiecutter({"a": "x"}), "hooks/post_gen_project.py": hook}
    result = rendered(tmp_path, files, trust=True)
    assert {name: item.content for name, item in result.items()} == {
        "a": b"x",
        "made": b"no secret",
    }


@lab
def test_trusted_tasks_run(tmp_path: Path) -> None:
    files = copier({"a": "x"}, "_tasks: ['echo {{ epforge.name }} > made']\n")
    assert rendered(tmp_path, files, trust=True)["made"].content == b"contoso-npu\n"


def test_objects_of_the_tools_do_nothing_for_a_template(tmp_path: Path) -> None:
    config = "q: {type: str, default: '{{ _copier_conf.settings.model_dump() }}'}\n"
    said, _ = refusal(tmp_path, copier({"a.jinja": "{{ q }}"}, config))
    assert "access to attribute 'model_dump' of 'Settings" in said


@pytest.mark.parametrize(
    "reads", ["open('{}')", "os.listdir('{}')", "os.scandir('{}')", "open('inside/../../secret')"]
)
def test_what_else_the_machine_has_is_not_read(tmp_path: Path, reads: str) -> None:
    write(tmp_path, {"secret": "hunter2", "run/inside/a": "x", "run/script.py": ""})
    script = (
        "import os, runpy, sys; from pathlib import Path\n"
        f"worker = runpy.run_path({str(_WORKER)!r})\n"
        "sys.addaudithook(worker['Guard'](Path.cwd(), 1000))\n"
        "open('inside/a'), os.listdir('inside'), os.scandir(), open(os.__file__)\n"
        f"{reads.format(tmp_path / 'secret')}\n"
    )
    process = subprocess.run(
        [sys.executable, "-P", "-B", "-c", script],
        cwd=tmp_path / "run", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.stderr.splitlines()[-1].endswith(
        f"it reads outside its directory: {tmp_path / 'secret'}"
    )


def test_python_of_a_template_is_not_imported(tmp_path: Path) -> None:
    """cookiecutter puts the template on the module path; what it imports late may be missing."""
    write(tmp_path / "template", {"evil.py": "print('evil')\n"})
    script = (
        "import runpy, sys; from pathlib import Path\n"
        f"worker = runpy.run_path({str(_WORKER)!r})\n"
        "guard = worker['Guard'](Path.cwd(), 1000)\n"
        "sys.path.append('template')\n"
        "sys.addaudithook(guard)\n"
        "import colorsys\n"  # others are imported as ever
        "import evil\n"
    )
    process = subprocess.run(
        [sys.executable, "-B", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stdout == ""
    assert "it has evil.py imported, which is code of its own" in process.stderr


@lab
@pytest.mark.parametrize("kind", [copier, cookiecutter])
def test_the_same_template_gives_the_same_bytes(tmp_path: Path, kind: type) -> None:
    from epforge.render.overlay import source

    files = {"a.jinja": "{% for k in ['b', 'a'] | unique %}{{ k }}{% endfor %}", "b": "y"}
    results = []
    for name in ("one", "two"):
        source._RENDERED.clear()
        results.append(rendered(tmp_path / name, kind(files)))
    assert results[0] == results[1]
