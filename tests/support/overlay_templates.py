"""Templates of copier and cookiecutter for tests of overlays, written and rendered in a line."""

from collections.abc import Mapping
from pathlib import Path

from epforge.render.overlay.find import Item, find
from epforge.render.overlay.source import Bounds, run
from epforge.resolve.services import Overlay, OverlayKind

VALUES = {
    "name": "contoso-npu",
    "names": {"ep": "ContosoNpuExecutionProvider"},
    "vendor": "{{ 7 * 7 }} & Söhne",
    "ops": ["Relu", "Add"],
}
FOLDER = "{{cookiecutter.slug}}"


def copier(files: Mapping[str, str | bytes], config: str = "") -> dict[str, str | bytes]:
    """A copier template."""
    return {"copier.yml": config, **files}


def cookiecutter(
    files: Mapping[str, str | bytes], config: str = '{"slug": "x"}'
) -> dict[str, str | bytes]:
    """A cookiecutter template: the files in the one directory that it renders."""
    return {"cookiecutter.json": config, **{f"{FOLDER}/{k}": v for k, v in files.items()}}


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes files below a directory, with the directories that they need."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def rendered(
    directory: Path,
    files: Mapping[str, str | bytes],
    *,
    data: Mapping[str, str] | None = None,
    trust: bool = False,
    bounds: Bounds | None = None,
) -> dict[str, Item]:
    """What a template becomes; it is written to ``directory/style``."""
    write(directory / "style", files)
    answers = tuple(sorted((data or {}).items()))
    overlay = Overlay(OverlayKind.SOURCE, "style", answers, where="b.yaml:7")
    return run(find(overlay, directory), VALUES, trust=trust, bounds=bounds)
