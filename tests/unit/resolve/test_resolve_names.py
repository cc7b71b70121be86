"""Names, versions, runtimes, devices: what derives from what, and what is refused."""

from __future__ import annotations

import pytest

from epforge.blueprint import parse
from epforge.names import Name
from epforge.resolve import analyse, resolve
from epforge.resolve.model import Blueprint, DeviceType, VirtualPolicy
from epforge.resolve.reserved import why_not_namespace


def named(name: str, more: str = "") -> Blueprint:
    return resolve(parse(f"epforge: 1\nname: {name}\nvendor: Contoso\n{more}"))


@pytest.mark.parametrize("name", ["contoso-npu", "contoso_npu", "ContosoNpu", "contosoNpu"])
def test_spellings_of_a_name_give_the_same_names(name: str) -> None:
    assert named(name).names == named("contoso-npu").names


def test_explicit_names_win() -> None:
    names = named(
        "contoso-npu",
        "names: {ep: ContosoExecutionProvider, library: contoso_ep, distribution: Contoso.EP-x}",
    ).names
    assert (names.ep, names.library) == ("ContosoExecutionProvider", "contoso_ep")
    assert (names.distribution, names.package) == ("Contoso.EP-x", "contoso_ep_x")
    assert names.namespace == "contoso_npu"


def test_an_explicit_ep_name_frees_the_project_name() -> None:
    names = named("qnn", "names: {ep: ContosoQnnExecutionProvider}").names
    assert (names.namespace, names.ep) == ("qnn", "ContosoQnnExecutionProvider")


def test_a_name_without_the_usual_suffix_is_a_warning() -> None:
    analysis = analyse(parse("epforge: 1\nname: a1\nvendor: b\nops: [Relu]\nnames: {ep: Acme}\n"))
    assert analysis.blueprint is not None
    assert analysis.blueprint.names.ep == "Acme"
    (warning,) = analysis.warnings
    assert (warning.line, warning.column, warning.code) == (5, 13, "ep-suffix")
    assert "AcmeExecutionProvider" in warning.hint


def test_a_lib_prefix_is_a_warning() -> None:
    text = "epforge: 1\nname: a1\nvendor: b\nops: [Relu]\nnames: {library: libacme}\n"
    (warning,) = analyse(parse(text)).warnings
    assert (warning.code, warning.hint) == ("library-prefix", "write acme")


@pytest.mark.parametrize(
    ("name", "rule", "proposal"),
    [
        ("class", "C++ keyword", "class-ep"),
        ("xor", "C++ keyword", "xor-ep"),
        ("near", "macro", "near-ep"),
        ("OUT", "macro", "OUT-ep"),
        ("interface", "macro", "interface-ep"),
        ("major", "macro", "major-ep"),
        ("con", "device name on Windows", "con-ep"),
        ("std", "another library", "std-ep"),
        ("sin", "C library", "sin-ep"),
        ("mmap", "C library", "mmap-ep"),
        ("cuda", "another library", "cuda-ep"),
        ("web-gpu", "built in", "web-gpu-ep"),
        ("contoso npu", "letters, digits", "contoso-npu"),
        ("Größe", "letters, digits", "Groe"),
        ("1st", "letters, digits", "ep-1st"),
    ],
)
def test_a_refused_name_has_its_rule_and_a_proposal_that_works(
    name: str, rule: str, proposal: str
) -> None:
    (error,) = analyse(parse(f"epforge: 1\nname: {name}\nvendor: b\n")).errors
    assert rule in error.message + error.expected
    assert error.fix is not None
    if name != "Größe":  # how a letter is flattened is not the point
        assert error.fix.text == proposal
    assert named(error.fix.text).names.name == Name.parse(error.fix.text)


def test_names_that_only_contain_a_word_are_fine() -> None:
    for name in ("class-npu", "min-npu", "std-npu", "contoso", "npu", "cpu-sim", "x1"):
        assert why_not_namespace(Name.parse(name).snake) is None
        assert named(name).names.name == Name.parse(name)


@pytest.mark.parametrize(
    ("text", "minimum", "target"),
    [
        ("ort: {min: 1.24.4}", (1, 24, 4), 27),
        ("ort: {min: 1.24.10}", (1, 24, 10), 27),
        ("ort: {min: 1.26}", (1, 26, 0), 27),
        ("ort: {min: 1.27.2}", (1, 27, 2), 27),
        ("ort: {target: 1.24}", (1, 24, 4), 24),
        ('ort: {min: "1.24.4", target: "1.30"}', (1, 24, 4), 30),
        ("ort: {target: 1.30}", (1, 24, 4), 30),
    ],
)
def test_releases_are_numbers(text: str, minimum: tuple[int, int, int], target: int) -> None:
    ort = named("a1", text).ort
    assert (ort.minimum, ort.target) == (minimum, target)


def test_one_nine_is_older_than_one_twentyfour() -> None:
    (error,) = analyse(parse("epforge: 1\nname: a1\nvendor: b\nort: {min: 1.9}\n")).errors
    assert "too old" in error.message
    assert "1.24.4" in error.expected


def test_versions() -> None:
    assert str(named("a1", "version: 1.2.3-rc.1+build.5").version) == "1.2.3-rc.1+build.5"
    (error,) = analyse(parse("epforge: 1\nname: a1\nvendor: b\nversion: 1.2\n")).errors
    assert error.fix is not None
    assert error.fix.text == "1.2.0"


def test_without_devices_there_is_one_cpu_device_of_any_vendor() -> None:
    (device,) = named("contoso-npu").devices
    assert (device.name, device.type) == ("contoso_npu", DeviceType.CPU)
    assert (device.match.vendor_id, device.match.device_ids) == (None, ())
    assert device.virtual is VirtualPolicy.NEVER


def test_device_names_are_identifiers() -> None:
    devices = named("a1", "devices: [{name: big-npu, type: npu}, {name: LittleNpu, type: gpu}]")
    assert [device.name for device in devices.devices] == ["big_npu", "little_npu"]


def test_a_vendor_is_a_text_or_a_mapping() -> None:
    text = resolve(parse("epforge: 1\nname: a1\nvendor: Contoso & Söhne <%= 1 %>\n"))
    assert (text.vendor.name, text.vendor.pci_id) == ("Contoso & Söhne <%= 1 %>", 0)
    table = resolve(parse("epforge: 1\nname: a1\nvendor: {name: Contoso, pci_id: 0x10}\n"))
    assert (table.vendor.name, table.vendor.pci_id) == ("Contoso", 16)
