"""Overlays of a blueprint: one kind each, and paths that mean the same everywhere."""

import pytest

from epforge.blueprint import parse
from epforge.resolve import analyse, resolve, resolved_yaml
from epforge.resolve.services import Overlay, OverlayKind

HEAD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu]\n"
FULL = """\
overlays:
  - header: house/header.txt
  - {source: ./house/style/, data: {team: "7", on: yes}}
  - templates: python:acme_style/ep/templates
"""


def test_each_kind_is_read_with_its_place_and_answers() -> None:
    overlays = resolve(parse(HEAD + FULL, "b.yaml")).overlays
    assert overlays == (
        Overlay(OverlayKind.HEADER, "house/header.txt"),
        Overlay(OverlayKind.SOURCE, "./house/style/", (("on", "yes"), ("team", "7"))),
        Overlay(OverlayKind.TEMPLATES, "python:acme_style/ep/templates"),
    )
    assert [overlay.where for overlay in overlays] == ["b.yaml:6", "b.yaml:7", "b.yaml:8"]
    assert [(overlay.package, overlay.path) for overlay in overlays] == [
        ("", "house/header.txt"),
        ("", "house/style"),
        ("acme_style", "ep/templates"),
    ]


def test_the_resolved_blueprint_says_the_same() -> None:
    blueprint = resolve(parse(HEAD + FULL))
    assert resolve(parse(resolved_yaml(blueprint))).overlays == blueprint.overlays


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        ("{}", "an overlay is one of source, templates or header, and this one is none of them"),
        ("{source: a, header: b}", "this one is source and header"),
        ("{source: /opt/style}", 'source: "/opt/style" is an absolute path'),
        ("{source: ~/style}", "is an absolute path"),
        ("{header: 'C:/x'}", "is an absolute path"),
        ("{source: 'a\\b'}", "has a backslash"),
        ("{source: ../style}", "leads out of the blueprint's directory"),
        ("{templates: a/../../b}", "leads out of the blueprint's directory"),
        ("{source: .}", "is the blueprint's own directory"),
        ("{source: ./}", "is the blueprint's own directory"),
        ("{source: ''}", "is not a path"),
        ('{source: "a\\nb"}', "is not a path"),
        ("{source: https://git.example/style}", "is an address, and nothing is fetched"),
        ("{source: 'git@git.example:style'}", "is an address"),
        ("{source: 'gh:contoso/style'}", "is an address"),
        ("{source: 'python:acme.style/ep'}", "is not the name of a top-level Python package"),
        ("{source: 'python:'}", "is not the name of a top-level Python package"),
        ("{source: 'python:acme/../x'}", "leads out"),
        ("{header: python:acme}", "names no file"),
        ("{header: a, data: {b: c}}", "data: header asks no questions"),
        ("{source: a, data: {_tasks: c}}", 'data: "_tasks" cannot be the name of a question'),
        ("{source: a, data: {epforge: c}}", "data: epforge is the name of what epforge itself"),
    ],
)
def test_what_cannot_be_an_overlay_is_refused_at_its_place(entry: str, what: str) -> None:
    errors = analyse(parse(f"{HEAD}overlays:\n  - {entry}\n")).errors
    assert [error.line for error in errors] == [6]
    assert what in errors[0].message


def test_the_same_overlay_twice_and_two_headers_are_refused() -> None:
    text = "overlays: [{source: a}, {source: a}, {header: x}, {header: y}]\n"
    found = [(error.column, error.message) for error in analyse(parse(HEAD + text)).errors]
    assert [message.split(":")[0] for _, message in found] == ["source", "header"]
    other = "overlays: [{source: a, data: {b: '1'}}, {source: a, data: {b: '2'}}]\n"
    assert not analyse(parse(HEAD + other)).errors
