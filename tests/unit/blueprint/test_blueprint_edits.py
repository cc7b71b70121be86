"""Edits of a blueprint's text: exactly the wanted change, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epforge.blueprint import BlueprintSource, parse
from epforge.blueprint.edits import Value, Verbatim, add_item, set_scalar, take_over, verbatim
from epforge.blueprint.edits.values import flow
from epforge.blueprint.edits.verified import signature, texts_of
from epforge.blueprint.nodes import Table
from epforge.errors import UsageError

HEAD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\n"
NPU: Value = {"name": "npu", "type": "npu"}
EFFORT: Value = {"name": "effort", "type": "int", "default": Verbatim("0")}
MUL_INT: Value = {"op": "Mul", "types": {"T": ["int32"]}}

Edit = Callable[[BlueprintSource], str]


def check_everywhere(edit: Edit, before: str, after: str) -> None:
    """The edit does the same to a text whatever its line ends, and with a byte order mark."""
    for mark in ("", "\ufeff"):
        for end in ("\n", "\r\n", "\r"):
            old, new = (mark + text.replace("\n", end) for text in (before, after))
            assert edit(parse(old)) == new


def said(text: str) -> Any:
    return texts_of(signature(parse(text).root))


# Operators


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # In brackets, on one line.
        ("ops: [Relu]\n", "ops: [Relu, Mul]\n"),
        ("ops: [Relu, Add]  # both\n", "ops: [Relu, Add, Mul]  # both\n"),
        ("ops: [ Relu , Add ]\n", "ops: [ Relu , Add, Mul ]\n"),
        ("ops: [Relu, Add,]\n", "ops: [Relu, Add, Mul,]\n"),
        ("ops: ['Relu', {op: Add}]", "ops: ['Relu', {op: Add}, Mul]"),
        ('"ops": [Relu]\nlayout: NCHW\n', '"ops": [Relu, Mul]\nlayout: NCHW\n'),
        ("ops: [Relu, &a Add]\n", "ops: [Relu, &a Add, Mul]\n"),
        # Sorted lists stay sorted, others are added to at their end.
        ("ops: [Add, Relu]\n", "ops: [Add, Mul, Relu]\n"),
        ("ops: [Neg, Relu]\n", "ops: [Mul, Neg, Relu]\n"),
        ("ops: [Abs, Add]\n", "ops: [Abs, Add, Mul]\n"),
        ("ops:\n- Neg # n\n- Relu\n", "ops:\n- Mul\n- Neg # n\n- Relu\n"),
        (
            "ops:\n  # a\n  - {op: Abs}\n  # r\n  - Relu\n",
            "ops:\n  # a\n  - {op: Abs}\n  - Mul\n  # r\n  - Relu\n",
        ),
        # In brackets, over several lines.
        ("ops: [Relu,\n      Add]\n", "ops: [Relu,\n      Add,\n      Mul]\n"),
        ("ops: [Sub, Relu,\n      Neg, Add]\n", "ops: [Sub, Relu,\n      Neg, Add, Mul]\n"),
        ("ops: [\n  Relu\n]\n", "ops: [\n  Relu,\n  Mul\n]\n"),
        (
            "ops: [\n  Relu,  # one\n  Add   # two\n  # more\n]\n",
            "ops: [\n  Relu,  # one\n  Add,   # two\n  Mul\n  # more\n]\n",
        ),
        (
            "ops: [\n  Relu,  # one\n  Add,  # two\n]\n",
            "ops: [\n  Relu,  # one\n  Add,  # two\n  Mul,\n]\n",
        ),
        ("ops: [\n  Neg,  # n\n  Relu\n]\n", "ops: [\n  Mul,\n  Neg,  # n\n  Relu\n]\n"),
        ("ops: [\n  Abs,  # n\n  Relu\n]\n", "ops: [\n  Abs,  # n\n  Mul,\n  Relu\n]\n"),
        ("ops: [\n  Relu,\n  Add]\n", "ops: [\n  Relu,\n  Add,\n  Mul]\n"),
        ("ops: [ Relu\n     , Add\n     ]\n", "ops: [ Relu\n     , Add, Mul\n     ]\n"),
        ("ops: [Relu # first\n  ]\n", "ops: [Relu, Mul # first\n  ]\n"),
        ("ops:\n  [Relu]\n", "ops:\n  [Relu, Mul]\n"),
        # Empty.
        ("ops: []\n", "ops: [Mul]\n"),
        ("ops: [ ]  # none\n", "ops: [Mul]  # none\n"),
        ("ops: [ # none yet\n  ]\n", "ops: [Mul # none yet\n  ]\n"),
        # With dashes.
        ("ops:\n  - Relu\n", "ops:\n  - Relu\n  - Mul\n"),
        ("ops:\n- Relu", "ops:\n- Relu\n- Mul"),
        ("ops:\n    -   Relu  # r\n", "ops:\n    -   Relu  # r\n    -   Mul\n"),
        (
            "ops:  # these\n  # first\n  - Relu\n\nlayout: NCHW\n",
            "ops:  # these\n  # first\n  - Relu\n  - Mul\n\nlayout: NCHW\n",
        ),
        (
            "ops:\n  - Relu\n\n  - Add  # a\n# layout\nlayout: NCHW\n",
            "ops:\n  - Relu\n\n  - Add  # a\n\n  - Mul\n# layout\nlayout: NCHW\n",
        ),
        (
            "ops:\n  - Relu\n  - op: Add\n    # any type\n\n  # the end\n",
            "ops:\n  - Relu\n  - op: Add\n    # any type\n  - Mul\n\n  # the end\n",
        ),
        ("ops:\n  -\n    Relu\n", "ops:\n  -\n    Relu\n  - Mul\n"),
        ("ops:\n  - &a Relu\n", "ops:\n  - &a Relu\n  - Mul\n"),
        # Absent.
        ("", "ops: [Mul]\n"),
        ("types: [float32]\nlayout: NCHW\n", "types: [float32]\nops: [Mul]\nlayout: NCHW\n"),
        ("types:\n- float32\n# end\n", "types:\n- float32\nops: [Mul]\n# end\n"),
    ],
)
def test_an_operator_is_added_in_the_style_of_the_list(before: str, after: str) -> None:
    def edit(source: BlueprintSource) -> str:
        return add_item(source, ("ops",), "Mul")

    check_everywhere(edit, HEAD + before, HEAD + after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("ops: [Relu]\n", "ops: [Relu, {op: Mul, types: {T: [int32]}}]\n"),
        ("ops:\n- Relu\n", "ops:\n- Relu\n- {op: Mul, types: {T: [int32]}}\n"),
        (
            "ops:\n- {op: Relu}\n- Add\n",
            "ops:\n- {op: Relu}\n- Add\n- {op: Mul, types: {T: [int32]}}\n",
        ),
        (
            "ops:\n  - op: Relu\n    kernel: yours\n",
            "ops:\n  - op: Relu\n    kernel: yours\n  - op: Mul\n    types: {T: [int32]}\n",
        ),
    ],
)
def test_a_table_is_written_as_the_tables_of_the_list(before: str, after: str) -> None:
    def edit(source: BlueprintSource) -> str:
        return add_item(source, ("ops",), MUL_INT)

    check_everywhere(edit, HEAD + before, HEAD + after)


def test_a_long_list_goes_on_in_a_line_of_its_own() -> None:
    names = ["Relu", *("LayerNormalization" for _ in range(4))]
    line = f"ops: [{', '.join(names)}]"
    assert len(line) < 100
    text = add_item(parse(f"{HEAD}{line}  # all\n"), ("ops",), "BatchNormalization")
    assert text == f"{HEAD}{line[:-1]},\n      BatchNormalization]  # all\n"
    again = add_item(parse(text), ("ops",), "Mul")
    assert again == text.replace("BatchNormalization]", "BatchNormalization, Mul]")
    deep = "compile: {patterns: [], max_group: 12345, drop_constants: false, also_kernels: [Softmax"
    deep = f"paradigm: compiled\n{deep}, LeakyRelu, Relu]}}\n"
    wide = add_item(parse(HEAD + deep), ("compile", "also_kernels"), "Mul")
    assert wide == (HEAD + deep).replace("Relu]", "Relu,\n    Mul]")


def test_a_comment_does_not_make_a_line_long() -> None:
    text = f"{HEAD}ops: [Relu]  # {'x' * 100}\n"
    assert add_item(parse(text), ("ops",), "Mul") == text.replace("Relu", "Relu, Mul")


def test_an_entry_that_is_too_long_for_a_line_gets_several() -> None:
    types = ["float32", "float64", "float16", "int8", "int16", "int32", "int64"]
    value: Value = {"op": "Mul", "types": {"T": types}, "models": ">=13", "kernel": "yours"}
    text = add_item(parse(f"{HEAD}ops:\n  - {{op: Relu}}\n"), ("ops",), value)
    assert text.endswith(
        f"  - op: Mul\n    types: {{T: [{', '.join(types)}]}}\n"
        '    models: ">=13"\n    kernel: yours\n'
    )


# Devices and options


@pytest.mark.parametrize(
    ("key", "value", "before", "after"),
    [
        ("devices", NPU, "ops: [Relu]\n", "devices:\n  - {name: npu, type: npu}\nops: [Relu]\n"),
        (
            "devices",
            NPU,
            "\nort: {}\n\nops: [Relu]\n",
            "\nort: {}\n\ndevices:\n  - {name: npu, type: npu}\n\nops: [Relu]\n",
        ),
        (
            "devices",
            NPU,
            "devices:\n  - name: gpu  # first\n    type: gpu\n    metadata:\n      a: b  # c\n",
            "devices:\n  - name: gpu  # first\n    type: gpu\n    metadata:\n      a: b  # c\n"
            "  - name: npu\n    type: npu\n",
        ),
        (
            "options",
            EFFORT,
            "ops:\n- Relu\n  # Add\n# done\n",
            "ops:\n- Relu\n  # Add\noptions:\n  - {name: effort, type: int, default: 0}\n# done\n",
        ),
        (
            "options",
            EFFORT,
            "options:\n  - name: a\n    doc: |\n      Text.\n\n      More.\n\n\ntypes: [int8]\n",
            "options:\n  - name: a\n    doc: |\n      Text.\n\n      More.\n"
            "  - name: effort\n    type: int\n    default: 0\n\n\ntypes: [int8]\n",
        ),
        (
            "options",
            EFFORT,
            "options: [{name: x, type: int}, {name: z, type: int}]\n",
            "options: [{name: effort, type: int, default: 0}, {name: x, type: int}, "
            "{name: z, type: int}]\n",
        ),
    ],
)
def test_devices_and_options(key: str, value: Value, before: str, after: str) -> None:
    def edit(source: BlueprintSource) -> str:
        return add_item(source, (key,), value)

    check_everywhere(edit, HEAD + before, HEAD + after)


def test_order_that_means_something_is_kept() -> None:
    text = f"{HEAD}devices: [{{name: a, type: npu}}, {{name: z, type: gpu}}]\n"
    added = add_item(parse(text), ("devices",), NPU, keep_sorted=False)
    assert [device["name"] for device in said(added)["devices"]] == ["a", "z", "npu"]


def test_a_blueprint_in_brackets() -> None:
    text = "{epforge: 1, name: a-b, vendor: C, ops: [Relu]} # small"
    assert add_item(parse(text), ("options",), EFFORT) == text.replace(
        "[Relu]", "[Relu], options: [{name: effort, type: int, default: 0}]"
    )
    assert set_scalar(parse(text), ("ort", "target"), '"1.27"') == text.replace(
        "vendor: C", 'vendor: C, ort: {target: "1.27"}'
    )


def test_an_indented_blueprint() -> None:
    text = "--- # mine\n  epforge: 1\n  name: a-b\n  vendor: C\n  types: [int8]\n...\n"
    assert add_item(parse(text), ("options",), EFFORT) == text.replace(
        "[int8]\n", "[int8]\n  options:\n    - {name: effort, type: int, default: 0}\n"
    )


# Single values


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("ort: {target: 1.27}  # t\n", 'ort: {target: "1.28"}  # t\n'),
        ("ort: {target: '1.27', min: 1.24.4}\n", "ort: {target: \"1.28\", min: 1.24.4}\n"),
        ("ort:\n  target: 1.27 # newest\n  min: 1.24.4\n",
         'ort:\n  target: "1.28" # newest\n  min: 1.24.4\n'),
        ("ort:\n  target: >-\n    1.27\nops: []\n", 'ort:\n  target: "1.28"\nops: []\n'),
        ('ort: {min: "1.24.4"}\n', 'ort: {min: "1.24.4", target: "1.28"}\n'),
        ("ort: {}\n", 'ort: {target: "1.28"}\n'),
        ("ort:\n    min: 1.25 # old\n\nops: []\n",
         'ort:\n    min: 1.25 # old\n    target: "1.28"\n\nops: []\n'),
        ("license: MIT\n\nops: []\n", 'license: MIT\nort: {target: "1.28"}\n\nops: []\n'),
        ("", 'ort: {target: "1.28"}\n'),
    ],
)  # fmt: skip
def test_a_version_is_set(before: str, after: str) -> None:
    def edit(source: BlueprintSource) -> str:
        return set_scalar(source, ("ort", "target"), '"1.28"')

    check_everywhere(edit, HEAD + before, HEAD + after)


def test_setting_what_is_there_changes_nothing() -> None:
    text = f'{HEAD}ort: {{target: "1.27"}}\n'
    assert set_scalar(parse(text), ("ort", "target"), '"1.27"') == text


@pytest.mark.parametrize("text", ["[1]", "a: b", "1 # c", "x\nops: []", '"', "*a", "", "!!int 1"])
def test_only_a_single_value_can_be_set(text: str) -> None:
    for before in ("ort: {target: 1.27}\n", "ort:\n  target: 1.27\n", ""):
        with pytest.raises(UsageError):
            set_scalar(parse(HEAD + before), ("ort", "target"), text)


# What has to be done by hand


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("ops: &all [Relu]\n", 4),
        ("ops: !!seq [Relu]\n", 4),
        ("types: &t [float32]\nops: &o\n  - Relu\n", 5),
        ("system_libs: &x [Relu]\nops: *x\n", 5),
    ],
)
def test_a_list_that_cannot_be_edited_safely_is_refused(text: str, line: int) -> None:
    with pytest.raises(UsageError) as error:
        add_item(parse(HEAD + text, "b.yaml"), ("ops",), MUL_INT)
    assert error.value.message == f"b.yaml:{line}:1: this list cannot be edited safely"
    assert "{op: Mul, types: {T: [int32]}} to ops" in error.value.cure


def test_blank_lines_that_are_part_of_a_text_are_kept() -> None:
    text = f"{HEAD}options:\n  - name: a\n    type: string\n    doc: |+\n      keep\n\nops: []\n"
    with pytest.raises(UsageError, match=r":4:1: this list cannot be edited safely"):
        add_item(parse(text), ("options",), EFFORT)


@pytest.mark.parametrize(
    "text",
    [
        "ort: {target: &t 1.27}\n",
        "license: &l MIT\nort: {target: *l}\n",
        "torch: &t {}\nort: *t\n",
        "ort: {target: !!str 1.27}\n",
        "ort: &o {target: 1.27}\npython: *o\n",
    ],
)
def test_a_value_that_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as error:
        set_scalar(parse(HEAD + text, "b.yaml"), ("ort", "target"), '"1.28"')
    assert re.fullmatch(r"b.yaml:\d:\d+: this value cannot be .* safely", error.value.message)
    assert error.value.cure == 'Write "1.28" by hand as the value of ort.target.'


def test_taking_over_keeps_line_ends_and_byte_order_mark() -> None:
    def edit(source: BlueprintSource) -> str:
        return take_over(source, "", "Relu")

    for before, after in (
        ("- Relu  # r\n", "- {op: Relu, kernel: yours}  # r\n"),
        ("- op: Relu # r\n  models: 13\n", "- op: Relu # r\n  kernel: yours\n  models: 13\n"),
    ):
        check_everywhere(edit, f"{HEAD}ops:\n{before}", f"{HEAD}ops:\n{after}")


def test_an_alias_that_would_change_along_is_refused() -> None:
    text = f"{HEAD}ops:\n  - &r {{op: Relu}}\ncustom_ops: [*r]\n"
    with pytest.raises(UsageError, match="cannot be edited safely"):
        take_over(parse(text), "", "Relu")


def test_a_list_in_a_table_that_is_used_twice_is_refused() -> None:
    text = f"{HEAD}paradigm: compiled\ncompile: &c {{also_kernels: [Add]}}\ntorch: *c\n"
    with pytest.raises(UsageError, match="cannot be edited safely"):
        add_item(parse(text), ("compile", "also_kernels"), "Mul")


# Values


@pytest.mark.parametrize(
    "text",
    [
        *("Relu", "com.microsoft::BiasGelu", "Effort of the compiler.", "true", "no", "1.30", ""),
        *("a: b", "a #b", "#", "- x", "it's", 'a "quote"', "back\\slash", "[x]", "{", "a, b", "é"),
        *("tab\tnewline\n", "\x85\u2028\ufeff", "\U0001f600", " lead", "trail ", "%", "@x", "&a"),
    ],
)
def test_a_text_comes_back_as_it_was(text: str) -> None:
    value: Value = {"name": "a", "type": "string", "doc": text}
    for options in ("options: [{name: z, type: int}]\n", "options:\n- name: z\n  type: int\n", ""):
        source = parse(add_item(parse(HEAD + options), ("options",), value))
        assert said(source.text.text)["options"][-1]["doc"] == text
        assert isinstance(source.root, Table)


def test_words_from_outside_are_written_as_they_are() -> None:
    assert flow({"a": verbatim("0x1F"), "b": verbatim("-1.5"), "c": verbatim("1, d: 2")}) == (
        '{a: 0x1F, b: -1.5, c: "1, d: 2"}'
    )
    assert flow([True, 3, "true"]) == '[true, 3, "true"]'


# Anything


NAMES = ("Abs", "Add", "Div", "Exp", "Floor", "MatMul", "Neg", "Relu", "Sub", "com.microsoft::Gelu")
COMMENTS = st.sampled_from(["", "  # one", " # [a, b]", "  # 'x' {", "   "])
GAPS = st.sampled_from(["", "\n", "# alone\n", "  # inner\n", "\n\n# two\n"])


def written(name: str, style: int) -> list[str]:
    """An operator's entry in one of its spellings; several lines only with dashes."""
    return [
        [name],
        [f"'{name}'"],
        [f'"{name}"'],
        [f"{{op: {name}}}"],
        [f"{{ kernel: yours, op: '{name}' }}"],
        [f"op: {name}", "kernel: yours  # mine"],
        ["kernel: yours # {", "# before", f"op: {name}"],
    ][style]


@st.composite
def lists(draw: st.DrawFn) -> str:
    """The key ``ops`` in some layout."""
    names = draw(st.lists(st.sampled_from(NAMES), max_size=5, unique=True))
    if draw(st.booleans()):
        names.sort()
    if names and draw(st.booleans()):
        return dashed(draw, names)
    items = [written(name, draw(st.integers(0, 4)))[0] for name in names]
    comma = "," if items and draw(st.booleans()) else ""
    if draw(st.booleans()):
        blank = draw(st.sampled_from(["", " "]))
        return f"ops: [{blank}{f'{blank}, '.join(items)}{comma}{blank}]{draw(COMMENTS)}\n"
    text = f"ops: [{draw(COMMENTS)}\n "
    for index, item in enumerate(items):
        last = comma if index == len(items) - 1 else ","
        comment = draw(COMMENTS) if draw(st.booleans()) else ""
        text += f"{item}{last}{comment}\n   " if comment else f"{item}{last} "
    return text + draw(st.sampled_from(["]", "\n  ]", " # end\n  ]", "\n  # end\n  ]"])) + "\n"


def dashed(draw: st.DrawFn, names: list[str]) -> str:
    indent = draw(st.sampled_from(["", "  ", "    "]))
    gap = draw(st.sampled_from([" ", "   "]))
    text = f"ops:{draw(COMMENTS)}\n"
    for name in names:
        first, *rest = written(name, draw(st.integers(0, 6)))
        text += draw(GAPS) + f"{indent}-{gap}{first}{draw(COMMENTS)}\n"
        text += "".join(f"{indent} {gap}{line}\n" for line in rest)
    return text


@st.composite
def blueprints(draw: st.DrawFn) -> str:
    """A valid blueprint in some layout."""
    keys = [
        "epforge: 1",
        draw(st.sampled_from(["name: contoso-npu", "'name': \"contoso-npu\""])),
        draw(st.sampled_from(["vendor: Contoso", "vendor:\n  name: Contoso  # us\n  pci_id: 0x1"])),
    ]
    optional = [
        draw(st.sampled_from(["types: [float32]", "types:\n- float32\n  # more"])),
        "license: >-\n  MIT",
        draw(st.sampled_from(["ort: {target: 1.27}", "ort:\n  min: 1.25", "ort: {}"])),
        "options: [{name: m, type: int}]",
        "devices:\n  - name: d\n    type: npu",
    ]
    keys += [key for key in optional if draw(st.booleans())]
    keys = draw(st.permutations(keys))
    parts = [
        f"{key}{draw(COMMENTS) if '#' not in key and '>' not in key else ''}\n" for key in keys
    ]
    parts.insert(draw(st.integers(0, len(parts))), draw(lists() | st.just("")))
    text = "".join(draw(GAPS) + part for part in parts)
    text += draw(st.sampled_from(["", "# the end\n", "\n\n"]))
    if draw(st.booleans()):
        text = text.rstrip("\n")
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from(["", "\ufeff"])) + text


NEW: list[tuple[str, Value]] = [
    ("ops", "Mul"),
    ("ops", {"op": "Mul", "types": {"T": ["int32", "int64"]}, "models": ">=13"}),
    ("ops", "com.microsoft::BiasGelu"),
    ("devices", {"name": "npu", "type": "npu", "match": {"vendor_id": Verbatim("0xB357")}}),
    ("options", {"name": "k", "type": "string", "default": "a # b", "doc": "One: two."}),
]


def comments(text: str) -> list[str]:
    return sorted(line[line.index("#") :] for line in text.splitlines() if "#" in line)


@settings(max_examples=120, deadline=None)
@given(text=blueprints(), new=st.sampled_from(NEW))
def test_whatever_the_layout_one_entry_is_added_and_nothing_lost(
    text: str, new: tuple[str, Value]
) -> None:
    key, value = new
    source = parse(text)
    assert not source.errors
    edited = add_item(source, (key,), value)
    before, after = said(text), said(edited)
    old = before.get(key, [])
    added = [item for item in after[key] if item not in old]
    assert len(added) == 1
    assert [item for item in after[key] if item in old] == old
    assert {**after, key: old} == {**before, key: old}
    assert edited.startswith("\ufeff") == text.startswith("\ufeff")
    assert ("\r\n" in edited) == ("\r\n" in text) or "\n" not in text
    assert not re.search("(?<!\r)\n", edited) or "\r\n" not in text
    kept = iter(edited)
    assert all(char in kept for char in "".join(text.split()))
    assert all(comment in edited for comment in comments(text))


@settings(max_examples=60, deadline=None)
@given(text=blueprints())
def test_whatever_the_layout_a_version_is_set_and_nothing_lost(text: str) -> None:
    edited = set_scalar(parse(text), ("ort", "target"), '"1.26"')
    before, after = said(text), said(edited)
    assert after == {**before, "ort": {**before.get("ort", {}), "target": "1.26"}}
    assert comments(edited) == comments(text)
    assert set_scalar(parse(edited), ("ort", "target"), '"1.26"') == edited
