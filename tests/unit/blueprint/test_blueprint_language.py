"""How YAML is read: types from the schema, positions, anchors, editions, reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from blueprint_cases import HEAD

from epforge.blueprint import (
    BlueprintErrors,
    Diagnostic,
    Fix,
    Severity,
    Span,
    apply_fix,
    json_schema,
    load,
    parse,
    render,
    to_json,
)
from epforge.blueprint.shape import BlueprintShape
from epforge.blueprint.text import MAX_BYTES
from epforge.errors import UsageError
from epforge.resolve import analyse


def test_scalars_are_read_by_the_schema() -> None:
    shape = parse(
        "epforge: 0x1\n"
        "name: no\n"
        "vendor: {name: on, pci_id: 0xB357}\n"
        "version: 1.30\n"
        "license: 0755\n"
        "ort: {min: 1.30, target: 1.10}\n"
        "torch: {legacy: 0o21}\n"
        "options: [{name: yes, type: string, default: 12:30, doc: off}]\n"
    ).shape
    assert shape.epforge == 1
    assert (shape.name, shape.vendor.name, shape.vendor.pci_id) == ("no", "on", 0xB357)
    assert (shape.version, shape.license) == ("1.30", "0755")
    assert (shape.ort.min, shape.ort.target) == ("1.30", "1.10")
    assert shape.torch is not None
    assert shape.torch.legacy == 17
    option = shape.options[0]
    assert (option.name, option.doc) == ("yes", "off")
    assert option.default is not None
    assert option.default.text == "12:30"


def test_styles_of_yaml_mean_the_same() -> None:
    flow = parse('{"epforge": 1, "name": "a1", "vendor": "b", "ops": ["Relu", "Add"]}')
    block = parse("epforge: 1\nname: a1\nvendor: >-\n  b\nops:\n- Relu\n- 'Add'\n")
    crlf = parse("\ufeffepforge: 1\r\nname: a1\r\nvendor: b\r\nops: [Relu,\r\n  Add]\r\n")
    tagged = parse("!!map {epforge: !!int 1, name: !!str a1, vendor: ! b, ops: !!seq [Relu, Add]}")
    marked = parse("%YAML 1.2\n---\nepforge: 1\nname: a1\nvendor: b\nops: [Relu, Add]\n...\n")
    sources = (flow, block, crlf, tagged, marked)
    assert [source.errors for source in sources] == [()] * 5
    assert {source.shape for source in sources} == {flow.shape}


def test_anchors_and_aliases_stand_for_their_node() -> None:
    source = parse(
        HEAD + "types: &t [float32]\nops:\n  - &relu Relu\n  - {op: Add, types: {T: *t}}\n"
        "compile: {also_kernels: [*relu]}\nparadigm: compiled\n"
    )
    assert source.errors == ()
    assert source.shape.ops[1].types == {"T": ("float32",)}
    assert source.shape.compile is not None
    assert source.shape.compile.also_kernels == ("Relu",)


def test_a_quoted_merge_key_is_a_key_like_any_other() -> None:
    source = parse(HEAD + "devices: [{name: d, type: npu, metadata: {'<<': x, '1.30': y}}]\n")
    assert source.errors == ()
    assert source.shape.devices is not None
    assert source.shape.devices[0].metadata == {"<<": "x", "1.30": "y"}


def test_places_count_characters_and_lines_as_editors_do() -> None:
    # U+2028 ends no line, and a letter beyond the BMP is one column.
    text = HEAD.replace("Contoso", "'\u2028 \U0001d49c'") + "types: ['\U0001d49c', flaot32]\n"
    found = parse(text).errors
    assert [(d.line, d.column, d.end_column) for d in found] == [(4, 9, 12), (4, 14, 21)]
    assert found[1].fix == Fix(Span(4, 14, 4, 21), "float32")


def test_paths_lead_to_places() -> None:
    source = parse(HEAD + "memory:\n  default: plain\nops:\n  - {op: Add,\n     models: 13}\n")
    assert source.span("memory", "default") == Span(5, 12, 5, 17)
    assert source.key_span("memory", "default") == Span(5, 3, 5, 10)
    assert source.key_span("memory") == Span(4, 1, 4, 7)
    assert source.span("ops", 0) == Span(7, 5, 7, 14)  # its first line
    assert source.span("ops", 0, "types", "T") == Span(
        7, 5, 7, 14
    )  # not there: what should hold it
    assert source.has("ops", 0, "models")
    assert not source.has("ops", 1)


def test_the_edition_is_probed_first() -> None:
    with pytest.raises(BlueprintErrors) as caught:
        parse('nome: ["x"]\nepforge: 7\nops: 3\n')
    (only,) = caught.value.diagnostics
    assert (only.code, only.line, only.column) == ("edition", 2, 10)
    assert "epforge: 1" in only.expected


def test_the_report_for_people() -> None:
    found = parse(HEAD + "optoins: []\nfeatures: {profiler: yes}\n", "my.yaml")
    assert render(found.errors, found.text.text) == (
        'my.yaml:4:1: error: unknown key "optoins"\n'
        "  optoins: []\n"
        "  ^^^^^^^\n"
        "  hint: did you mean options?\n"
        "\n"
        'my.yaml:5:22: error: features.profiler: found "yes"\n'
        "  features: {profiler: yes}\n"
        "                       ^^^\n"
        "  expected: true or false\n"
        "  hint: write true"
    )


def test_carets_stand_under_the_place_after_tabs_and_in_long_lines() -> None:
    tabbed = Diagnostic("f", 1, 4, 1, 6, "c", "m")
    assert render([tabbed], "\ta\tbcd").splitlines()[1:] == ["  \ta\tbcd", "  \t \t^^"]
    line = "x" * 5000 + "HERE" + "y" * 5000
    long = render([Diagnostic("f", 1, 5001, 1, 5005, "c", "m")], line).splitlines()
    assert len(long[1]) < 120
    start = long[2].index("^")
    assert long[1][start : start + 4] == "HERE"
    assert long[2].count("^") == 4


def test_the_report_for_programs() -> None:
    source = parse(HEAD + "optoins: []\n", "my.yaml")
    (entry,) = [to_json(diagnostic) for diagnostic in source.errors]
    place = {"start": {"line": 4, "column": 1}, "end": {"line": 4, "column": 8}}
    assert entry == {
        "file": "my.yaml",
        "severity": "error",
        "code": "unknown-key",
        "message": 'unknown key "optoins"',
        "expected": "",
        "hint": "did you mean options?",
        "range": place,
        "fix": {"range": place, "text": "options"},
    }
    assert json.loads(json.dumps(entry)) == entry


def test_fixes_are_made_in_place() -> None:
    text = "a: 1\r\nb: [two,\n  three]\n"
    assert apply_fix(text, Fix(Span(2, 1, 2, 2), "c")) == "a: 1\r\nc: [two,\n  three]\n"
    assert apply_fix(text, Fix(Span(2, 4, 3, 9), "x")) == "a: 1\r\nb: x\n"
    assert apply_fix(text, Fix(Span(1, 1, 1, 1), "new\n")).startswith("new\na: 1")
    with pytest.raises(ValueError, match="line 9"):
        apply_fix(text, Fix(Span(9, 1, 9, 1), ""))


def test_several_fixes_of_one_kind_make_the_blueprint_right() -> None:
    text = (
        "epforge: 1\nnmae: contoso-npu\nvendor: Contoso\nfeatures: {profiler: on}\n"
        "ops: Relu\nversion: 1.2\n"
    )
    for _ in range(10):
        errors = analyse(parse(text)).errors
        if not errors:
            break
        fix = errors[0].fix
        assert fix is not None
        text = apply_fix(text, fix)
    assert text == (
        "epforge: 1\nname: contoso-npu\nvendor: Contoso\nfeatures: {profiler: true}\n"
        "ops: [Relu]\nversion: 1.2.0\n"
    )


def test_a_file_that_cannot_be_read_is_a_wrong_call(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.yaml", tmp_path / "nul\0.yaml"):
        with pytest.raises(UsageError) as caught:
            load(path)
        assert "blueprint" in caught.value.message


def test_the_size_limit_counts_bytes(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    path.write_text(HEAD + "#" + "x" * (MAX_BYTES - len(HEAD) - 2) + "\n")
    assert load(path).errors == ()
    path.write_text(path.read_text() + "#")
    with pytest.raises(BlueprintErrors, match="too large"):
        load(path)


def test_the_json_schema_knows_every_key_and_closes_every_mapping() -> None:
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert set(schema["properties"]) == set(BlueprintShape.model_fields)
    assert schema["required"] == ["epforge", "name", "vendor"]
    shapes = [schema, *schema["$defs"].values()]
    assert all(shape["additionalProperties"] is False for shape in shapes)
    text = json.dumps(schema)
    references = {part.split('"')[0] for part in text.split('"$ref": "')[1:]}
    assert references == {f"#/$defs/{name}" for name in schema["$defs"]}
    assert '"null"' not in text
    assert {"type": "string"} in schema["properties"]["vendor"]["anyOf"]


def test_severities_have_their_words() -> None:
    note = Diagnostic("f", 1, 1, 1, 2, "c", "m", severity=Severity.NOTE)
    assert render([note]) == "f:1:1: note: m"
