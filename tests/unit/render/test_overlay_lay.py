"""What overlays become: templates in place of epforge's, and files laid over the project."""

import dataclasses
import resource
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from blueprints import example
from overlay_templates import write

from epforge.assets import assets_dir
from epforge.plan import FileSpec, Owner, Plan, make_plan
from epforge.render import RenderedFile, RenderError, bounds, render
from epforge.render.errors import OverrideError
from epforge.render.overlay.errors import OverlayError
from epforge.render.overlay.find import Item, find
from epforge.render.overlay.lay import Laid, Overlays
from epforge.render.overrides import Override, read_override
from epforge.resolve.services import Overlay, OverlayKind

STYLE = Overlay(OverlayKind.SOURCE, "house/style", where="b.yaml:7")
OTHER = Overlay(OverlayKind.SOURCE, "house/other", where="b.yaml:8")
MINIMAL = "epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu]\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path_factory.getbasetemp() / "overlay-cache"))


def project(*rows: tuple[str, Owner]) -> dict[str, RenderedFile]:
    return {
        path: RenderedFile(path, b"ours", owner, False, f"plugin/{path}") for path, owner in rows
    }


def laid(overlay: Overlay, files: Mapping[str, bytes]) -> Laid:
    return Laid(overlay, {path: Item(content) for path, content in files.items()})


def test_shared_files_are_replaced_and_new_ones_are_shared() -> None:
    overlays = Overlays(
        laid=(
            laid(STYLE, {"README.md": b"theirs", "z/new": b"first"}),
            Laid(OTHER, {"z/new": Item(b"last", executable=True)}),
        )
    )
    files = overlays.over(project(("a.cc", Owner.GENERATED), ("README.md", Owner.SHARED)))
    assert files == {
        "README.md": RenderedFile(
            "README.md", b"theirs", Owner.SHARED, False, "overlay:house/style"
        ),
        "a.cc": RenderedFile("a.cc", b"ours", Owner.GENERATED, False, "plugin/a.cc"),
        "z/new": RenderedFile("z/new", b"last", Owner.SHARED, True, "overlay:house/other"),
    }
    assert list(files) == ["README.md", "a.cc", "z/new"]


@pytest.mark.parametrize("owner", [Owner.GENERATED, Owner.YOURS])
def test_generated_and_yours_are_not_laid_over(owner: Owner) -> None:
    with pytest.raises(OverlayError) as caught:
        Overlays(laid=(laid(STYLE, {"a.cc": b""}),)).over(project(("a.cc", owner)))
    message = f"it makes a.cc, and the project has that file as {owner}, from plugin/a.cc"
    assert caught.value.message == f"b.yaml:7: overlay house/style: {message}"
    assert "{templates: DIR} with plugin/a.cc" in caught.value.cure


@pytest.mark.parametrize(
    "path",
    [
        *("blueprint.yaml", "Epforge.Lock", ".git/config", ".epforge/base/a", "a/.GIT/hooks/x"),
        *(".git", "a/GIT~1/config"),
    ],
)
def test_what_is_epforge_s_or_git_s_is_not_laid_over(path: str) -> None:
    """Neither by what a template makes, nor by the place where an overlay lies itself."""
    with pytest.raises(OverlayError, match=f"it makes {path}, which is epforge's or git's alone"):
        Overlays(laid=(laid(STYLE, {path: b""}),)).over({})
    with pytest.raises(OverlayError, match=f"its file {path}, which is epforge's or git's alone"):
        Overlays(travelling={path: (STYLE, Item(b"x"))}).over({})


@pytest.mark.parametrize("name", ["a\nb", "a\u202eb", ".g\u200cit/config", "\x1b[2J"])
def test_a_name_that_cannot_be_seen_is_refused(name: str) -> None:
    with pytest.raises(OverlayError, match="characters that cannot be seen") as caught:
        Overlays(laid=(laid(STYLE, {name: b""}),)).over({})
    assert name not in caught.value.message


def test_an_overlay_s_own_files_are_yours_and_have_places_of_their_own() -> None:
    overlays = Overlays(travelling={"house/x": (STYLE, Item(b"x"))})
    assert overlays.over({}) == {"house/x": RenderedFile("house/x", b"x", Owner.YOURS, False, "")}
    with pytest.raises(OverlayError, match="house/x is where the project has one of its own"):
        overlays.over(project(("house/x", Owner.SHARED)))
    with pytest.raises(OverlayError, match="has that file as yours"):
        Overlays(travelling=overlays.travelling, laid=(laid(OTHER, {"house/x": b""}),)).over({})


def test_c_plus_plus_is_in_the_last_style_of_the_overlays_or_in_the_owner_s(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"t": "<%= banner %>\nint f(int a) { return a + 1; }\n"})
    plan = Plan((FileSpec("a.cc", "t", Owner.GENERATED, {}, ""),))

    def code(overlays: Overlays, style: str | None = None) -> str:
        override = Override(tmp_path, "mine", {"t": (tmp_path / "t").read_text()})
        overlays = dataclasses.replace(overlays, overrides=(override,))
        return overlays.render(plan, style)["a.cc"].content.decode().split("\n", 1)[1]

    narrow = laid(STYLE, {".clang-format": b"ColumnLimit: 20\n"})
    gnu = laid(OTHER, {".clang-format": b"BasedOnStyle: GNU\n"})
    assert code(Overlays()) == "int f(int a) { return a + 1; }\n"
    assert code(Overlays(laid=(narrow, gnu))).startswith("int\nf (int a)\n{")
    assert code(Overlays(laid=(gnu,)), "BasedOnStyle: Google\n") == code(Overlays())
    with pytest.raises(OverlayError, match=r"house/style: \.clang-format:1:1: clang-format"):
        code(Overlays(laid=(laid(STYLE, {".clang-format": b"Nonsense: 1\n"}),)))


def override(directory: Path, files: Mapping[str, str]) -> Override:
    write(directory / "mine", files)
    return read_override(find(Overlay(OverlayKind.TEMPLATES, "mine", where="b.yaml:7"), directory))


def test_a_template_stands_in_for_epforge_s_and_the_rest_stays(tmp_path: Path) -> None:
    plan = make_plan(example(MINIMAL))
    own = render(plan)
    mine = override(
        tmp_path,
        {
            "plugin/README.md": "<%= banner %>\n<% include 'acme/x.md' %>\n",
            "acme/x.md": "Of <%= vendor | md %>.\n",
            "README.md": "about these templates",
        },
    )
    files = render(plan, overrides=[mine])
    assert files["README.md"].content.decode().split("\n", 1)[1] == "Of Contoso.\n"
    assert {path for path in files if files[path] != own[path]} == {"README.md"}


def test_the_first_of_several_counts(tmp_path: Path) -> None:
    text = "<%= banner %>\n"
    one = override(tmp_path / "1", {"plugin/README.md": f"{text}one\n"})
    two = override(tmp_path / "2", {"plugin/README.md": f"{text}two\n"})
    spec = FileSpec("README.md", "plugin/README.md", Owner.SHARED, {}, "")
    files = render(Plan((spec,)), overrides=[two, one])
    assert files["README.md"].content.endswith(b"\ntwo\n")


@pytest.mark.parametrize(
    ("files", "what", "cure"),
    [
        ({"plugin/READMEE.md": ""}, "epforge has no template plugin/READMEE.md", "README.md?"),
        ({"acme/x": ""}, "it stands in for none of epforge's templates", "templates list"),
        ({"plugin/README.md": "\udcff"}, "plugin/README.md is not UTF-8", ""),
    ],
)
def test_templates_that_stand_for_nothing_are_refused(
    tmp_path: Path, files: Mapping[str, str], what: str, cure: str
) -> None:
    raw = {name: text.encode(errors="surrogateescape") for name, text in files.items()}
    write(tmp_path / "mine", raw)
    with pytest.raises(OverlayError) as caught:
        override(tmp_path, {})
    assert caught.value.message == f"b.yaml:7: overlay mine: {what}"
    assert cure in caught.value.cure


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("<%= nope %>", "2: <%= nope %>: 'nope' is undefined"),
        ("<% nonsense %>", "2: Encountered unknown tag"),
        ("<%= x %>", "2: <%= x %>: 'a text' (str) needs a filter"),
        ("<%= ''.__class__.__mro__ | line %>", "2: <%= ''.__class__.__mro__"),
        ("<% set x = cycler.__init__.__globals__.os.system('id') %>", "2: <% set x"),
        ("<% for k in cycler.__init__.__globals__ %><% endfor %>", "2: <% for k"),
    ],
)
def test_a_fault_of_yours_is_yours_with_its_line(tmp_path: Path, body: str, what: str) -> None:
    mine = override(tmp_path, {"plugin/README.md": f"<%= banner %>\n{body}\n"})
    spec = FileSpec("README.md", "plugin/README.md", Owner.SHARED, {"x": "a text"}, "")
    with pytest.raises(RenderError) as caught:
        render(Plan((spec,)), overrides=[mine])
    assert caught.value.message.startswith(f"mine/plugin/README.md:{what}")
    assert "templates show" in caught.value.cure
    assert caught.value.exit_status == 2


def test_a_template_without_its_banner_is_yours_too(tmp_path: Path) -> None:
    mine = override(tmp_path, {"plugin/README.md": "# Mine\n"})
    spec = FileSpec("README.md", "plugin/README.md", Owner.SHARED, {}, "")
    with pytest.raises(RenderError, match=r"^mine/plugin/README.md:1: .* its banner"):
        render(Plan((spec,)), overrides=[mine])


LOOP = "<% for a in range(99999) %><% for b in range(99999) %><% endfor %><% endfor %>"


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (LOOP, "t: the templates were not done after 0.2 seconds"),
        ("<%= 9 ** (9 ** 9) %>", "t: the templates were not done after 0.2 seconds"),
        ('<%= "x" * 9999999999 %>', "too much memory"),
        ('<%= "%9999999999d" | format(1) %>', "too much memory"),
        (f"<% for i in range(5000) %>{'x' * 2001}<% endfor %>", "has more than 10 MB"),
        ("<%= 'x' * 10000000 %>", "needs a filter"),
        ("<% include 'plugin/README.md' %>", "in circles"),
        ("<%= range(9999999) %>", "Range too big"),
        ("<%= 1 / 0 %>", "division by zero"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="memory has no bound here")
def test_a_template_of_yours_that_takes_too_much_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, what: str
) -> None:
    seconds = 0.2 if "done" in what else 60
    monkeypatch.setattr(bounds, "SECONDS", seconds)
    alarm, space = signal.getitimer(signal.ITIMER_REAL), resource.getrlimit(resource.RLIMIT_AS)
    write(tmp_path / "t", {"plugin/README.md": f"<%= banner %>\n{body}\n"})
    override = read_override(find(Overlay(OverlayKind.TEMPLATES, "t"), tmp_path))
    spec = FileSpec("README.md", "plugin/README.md", Owner.SHARED, {}, "the project's front")
    with pytest.raises(OverrideError) as caught:
        render(Plan((spec,)), overrides=[override])
    assert what in caught.value.message
    assert len(caught.value.message) < 1000
    assert bool(signal.getitimer(signal.ITIMER_REAL)[0]) == bool(alarm[0])
    assert resource.getrlimit(resource.RLIMIT_AS) == space


def test_epforge_s_own_fault_stays_its_own(tmp_path: Path) -> None:
    mine = override(tmp_path, {"plugin/README.md": "<%= banner %>\n"})
    spec = FileSpec("CMakeLists.txt", "plugin/CMakeLists.txt", Owner.SHARED, {}, "")
    with pytest.raises(RenderError) as caught:
        render(Plan((spec,)), overrides=[mine])
    assert caught.value.message.startswith("plugin/CMakeLists.txt:")
    assert "fault of epforge's templates" in caught.value.cure
    assert (assets_dir("templates") / "plugin/CMakeLists.txt").is_file()
