"""What the shim's templates are given: every function, in its place, with its rules."""

from __future__ import annotations

import re

import pytest

from epforge.ort.levels import load_level
from epforge.ort.model import Role
from epforge.shim.ownership import BORROWED, GIVEN, OPEN, PURE, TAKEN, YIELDED
from epforge.shim.render import render_shim
from epforge.shim.view import View

LEVEL = load_level(32)
# Callbacks through which something comes out that types alone do not tell apart: each has a hook.
HOOKED = {
    "OrtEpFactory.GetSupportedDevices",
    "OrtEpFactory.GetCustomOpDomains",
    "OrtEp.Compile",
    "OrtEp.ReleaseNodeComputeInfos",
    "OrtDataTransferImpl.CopyTensors",
}


@pytest.fixture(scope="module")
def view() -> View:
    return View()


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    """The sources, each in one line: the formatter may break them anywhere."""
    return {name: " ".join(text.split()) for name, text in render_shim().items()}


def test_every_function_is_in_its_place(view: View) -> None:
    """Slots and their order are those of the table, or the target would call something else."""
    for struct in view.structs:
        members = [m.name for m in LEVEL.struct(struct.text).members]
        declared = [re.findall(r"\(\*(\w+)\)|(\w+)(?:\[\d+\])?$", str(f))[0] for f in struct.fields]
        assert [one or other for one, other in declared] == members, struct.text


def test_every_status_of_the_newest_level_can_fail(view: View, sources: dict[str, str]) -> None:
    """Each function that returns a status and whose parameters are known has a proxy."""
    ids = {function.name: function.id for function in view.functions}
    wrapped = set(re.findall(r"Put<&(\w+)::(\w+), \d+>", sources["tables.cc"]))
    lacking = [
        f"{struct.name}.{member.name}"
        for struct in LEVEL.structs.values()
        if struct.role is Role.CALLS and struct.name != "OrtApiBase"
        for member in struct.members
        if member.params is not None and (struct.name, member.name) not in wrapped
    ]
    assert lacking == []
    assert len(wrapped) > 500
    assert sorted(ids.values()) == list(range(len(ids)))


def test_numbers_agree_with_the_rows(view: View, sources: dict[str, str]) -> None:
    names = [function.name for function in view.functions]
    rows = re.findall(r'\{"([\w.]+)", \d+, (?:true|false), \{', sources["functions.h"])
    assert rows == names
    for struct, member, number in re.findall(r"Put<&(\w+)::(\w+), (\d+)>", sources["tables.cc"]):
        assert names[int(number)] == f"{struct}.{member}"
    visits = re.findall(r"Visit<&(\w+)::(\w+), (\d+)>", sources["slots.h"])
    for struct, member, number in visits:
        assert names[int(number)] == f"{struct}.{member}"
    callbacks = sum(len(struct.functions) for struct in view.callback_structs)
    assert len(visits) == callbacks > 100


def test_who_owns_what_is_said_of_functions_that_there_are() -> None:
    places = [(name, "") for name in BORROWED] + [*GIVEN, *TAKEN, *YIELDED]
    for name, param in places:
        struct, _, member = name.partition(".")
        params = LEVEL.struct(struct).member(member).params or ()
        assert not param or param in {p.name for p in params}, name


def test_what_a_function_makes_can_be_released(view: View) -> None:
    """A kind without a function that releases it would be counted, and never come back."""
    released = {
        param.type.removesuffix("*")
        for struct in LEVEL.structs.values()
        if struct.role is Role.CALLS
        for member in struct.members
        if member.name.startswith("Release") and member.params
        for param in member.params
    }
    kinds = {str(kind.type) for kind in view.kinds}
    assert kinds - released == set()
    assert kinds >= PURE | OPEN
    assert kinds >= {"OrtGraph", "OrtKernelRegistry", "OrtEpDevice", "OrtSyncStream"}
    assert "OrtMemoryDevice" not in kinds


def test_roles_of_arguments(view: View) -> None:
    roles = {function.name: str(function.roles) for function in view.functions}
    assert roles["OrtEpApi.CreateEpDevice"] == (
        "kRequired, kRequired, kPlain, kPlain, kRequired | kMakes"
    )
    assert roles["OrtApi.ReleaseStatus"] == "kReleases"
    assert roles["OrtApi.KernelContext_GetOutput"] == "kRequired"
    assert roles["OrtModelEditorApi.AddNodeToGraph"] == "kRequired, kRequired | kTakes"
    assert roles["OrtModelEditorApi.SetGraphInputs"] == "kRequired, kTakesEach"
    assert "kMakes" not in roles["OrtApi.GetAllocatorWithDefaultOptions"]


def test_arrays_that_come_out_of_callbacks_are_known(sources: dict[str, str]) -> None:
    """By its type, an array of objects looks like one object: such callbacks need a hook."""
    arrays = set()
    for struct in LEVEL.structs.values():
        if struct.role is not Role.IMPLEMENTS:
            continue
        for member in struct.members:
            params = member.params or ()
            counted = any(re.search(r"^num_|count$", param.name) for param in params)
            if counted and any(re.fullmatch(r"Ort\w+\*\*", param.type) for param in params):
                arrays.add(f"{struct.name}.{member.name}")
    assert arrays - {"OrtEpFactory.CreateEp"} == HOOKED  # one provider for a number of devices
    for name in HOOKED:
        slot = name.replace(".", "::")
        hook = sources["hooks.h"].partition(f"Hook<&{slot}> ")[2].partition("};")[0]
        assert "kKnowsOuts = true" in hook, name
