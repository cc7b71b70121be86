<%= banner %>
"""Models compiled ahead of time: loaded in a fresh process they compute what they should."""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import <%= package %>.compiling as compile_api
from support import OneNode, Plugin, assert_same, expected, fresh, trials

_WAYS = {
<% if external %>
    "beside": compile_api.Settings(),
<% endif %>
<% if embed %>
    "embedded": compile_api.Settings(embed=True),
<% endif %>
<% if share %>
    "shared": compile_api.Settings(share_weights=True),
<% endif %>
}
_ANY = next(iter(_WAYS.values()))


@pytest.fixture(scope="module")
def models(plugin: Plugin) -> list[OneNode]:
    return [trial.build() for trial in itertools.islice(trials(plugin.manifest), 2)]


@pytest.fixture
def paths(models: list[OneNode], tmp_path: Path) -> list[Path]:
    """The models as files."""
    found = [tmp_path / f"model{index}.onnx" for index in range(len(models))]
    for path, one in zip(found, models, strict=True):
        path.write_bytes(one.model)
    return found


def _run_fresh(path: Path, one: OneNode) -> list[Any]:
    """What a compiled model computes, in a process that knows nothing of how it was made."""
    given, got = path.with_suffix(".in.npz"), path.with_suffix(".out.npz")
    np.savez(given, **one.feeds)
    result = fresh(
        f"""
        import json, numpy
        import <%= package %> as package
        from support import Plugin
        manifest = json.load(open(package.get_library_path() + ".manifest.json", encoding="utf-8"))
        package.register(virtual=manifest["virtual"])
        session = Plugin(manifest, package.devices()[0]).session({str(path)!r})
        numpy.savez({str(got)!r}, *session.run(None, dict(numpy.load({str(given)!r}))))
        """
    )
    assert result.returncode == 0, result.stderr
    return list(np.load(got).values())


@pytest.mark.parametrize("way", _WAYS)
def test_a_compiled_model_computes_the_same(
    plugin: Plugin, models: Sequence[OneNode], paths: list[Path], tmp_path: Path, way: str
) -> None:
    out = tmp_path / "out"
    done = compile_api.compile_models(paths, [plugin.device], out, _WAYS[way])
    assert [(each.contexts, each.nodes, each.others) for each in done] == [(1, 1, 0)] * len(done)
    files = {file for each in done for file in each.files}
    assert files == set(out.iterdir())
    data = {"beside": len(done), "embedded": 0, "shared": 1}
    assert len(files) - len(done) == data[way]

    moved = out.rename(tmp_path / "moved")  # a compiled model and its data may go anywhere
    for each, one in zip(done, models, strict=True):
        assert_same(_run_fresh(moved / each.output.name, one), expected(one))


def test_what_is_there_is_replaced_on_request_only(plugin: Plugin, paths: list[Path]) -> None:
    devices = [plugin.device]
    (done,) = compile_api.compile_models(paths[:1], devices, settings=_ANY)
    before = [file.read_bytes() for file in done.files]
    with pytest.raises(compile_api.CompileError, match="exists already"):
        compile_api.compile_models(paths[:1], devices, settings=_ANY)
    forced = compile_api.Settings(embed=_ANY.embed, share_weights=_ANY.share_weights, force=True)
    (again,) = compile_api.compile_models(paths[:1], devices, settings=forced)
    assert again == done
    assert [file.read_bytes() for file in done.files] == before


def test_a_compiled_model_is_not_compiled_again(plugin: Plugin, paths: list[Path]) -> None:
    (done,) = compile_api.compile_models(paths[:1], [plugin.device], settings=_ANY)
    with pytest.raises(compile_api.CompileError, match=f"compiled already.*{plugin.name}"):
        compile_api.compile_models([done.output], [plugin.device], settings=_ANY)


def test_the_command_compiles(library: Path, paths: list[Path]) -> None:
    flag = "--embed" if _ANY.embed else "-v"
    code = f"""
        import runpy, sys
        sys.argv = ["", "compile", {str(paths[0])!r}, {flag!r}, "--json"]
        runpy.run_module("<%= package %>", run_name="__main__")
        """
    result = fresh(code)
    assert result.returncode == 0, result.stderr
    (done,) = json.loads(result.stdout)["models"]
    assert (done["compiled_nodes"], done["ep_context_nodes"], done["other_nodes"]) == (1, 1, 0)
    for file in done["files"]:
        assert Path(file["path"]).stat().st_size == file["bytes"]
    again = fresh(code)
    assert again.returncode == 1
    assert "exists already" in json.loads(again.stdout)["failed"][0]["message"]
