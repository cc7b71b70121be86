<%= banner %>
"""Provider options, from the same table as the library's parser."""

import json
from pathlib import Path
from typing import Any

import pytest

from support import Plugin, trials

_MANIFEST: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[2] / "src/gen/manifest.json").read_text(encoding="utf-8")
)
_OPTIONS: list[dict[str, Any]] = _MANIFEST["options"]
_MODEL = next(trials(_MANIFEST)).build().model


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


<% if options %>
def _bad_values() -> list[tuple[str, str]]:
    """Option and value: of the wrong type, out of range, not among the choices."""
    bad = []
    for option in _OPTIONS:
        if option["type"] in ("int", "float", "bool"):
            bad += [(option["name"], "abc"), (option["name"], "")]
        if option["type"] == "int":
            bad.append((option["name"], "1.5"))
        if option["type"] == "enum":
            bad.append((option["name"], "no-such-choice"))
        if option.get("minimum") is not None:
            bad.append((option["name"], str(option["minimum"] - 1)))
        if option.get("maximum") is not None:
            bad.append((option["name"], str(option["maximum"] + 1)))
    return bad


<% endif %>
def test_an_unknown_option_is_an_error_that_names_it(plugin: Plugin) -> None:
    with pytest.raises(Exception, match="no_such_option") as caught:
        plugin.session(_MODEL, {"no_such_option": "1"})
    for option in _OPTIONS:
        assert option["name"] in str(caught.value)


def test_the_options_of_others_are_none_of_its_business(plugin: Plugin) -> None:
    session = plugin.session(_MODEL, config={"ep.someotherexecutionprovider.effort": "abc"})
    assert plugin.name in session.get_providers()


def test_the_defaults_are_published(plugin: Plugin) -> None:
    assert plugin.device.ep_options == {o["name"]: _text(o["default"]) for o in _OPTIONS}


<% if options %>
@pytest.mark.parametrize("option", _OPTIONS, ids=lambda option: option["name"])
def test_the_default_is_a_legal_value(plugin: Plugin, option: dict[str, Any]) -> None:
    session = plugin.session(_MODEL, {option["name"]: _text(option["default"])})
    assert plugin.name in session.get_providers()


@pytest.mark.parametrize("option", _OPTIONS, ids=lambda option: option["name"])
def test_the_session_s_entry_is_the_same_as_the_option(
    plugin: Plugin, option: dict[str, Any]
) -> None:
    key = f"ep.{plugin.name.lower()}.{option['name']}"
    session = plugin.session(_MODEL, config={key: _text(option["default"])})
    assert plugin.name in session.get_providers()


@pytest.mark.parametrize(("name", "value"), _bad_values())
def test_a_bad_value_is_an_error_that_names_option_and_value(
    plugin: Plugin, name: str, value: str
) -> None:
    with pytest.raises(Exception, match=name) as caught:
        plugin.session(_MODEL, {name: value})
    assert value in str(caught.value)
    with pytest.raises(Exception, match=name):
        plugin.session(_MODEL, config={f"ep.{plugin.name.lower()}.{name}": value})
<% endif %>
<% if dynamic_options %>


def _dynamic_keys(plugin: Plugin) -> list[str]:
    """As applications write them."""
    prefixes = ("ep.dynamic.", f"ep.{plugin.name.lower()}.")
    names = [option["name"] for option in _OPTIONS if option["dynamic"]]
    return [prefix + name for prefix in prefixes for name in names]


def test_dynamic_options_change_while_a_session_lives(plugin: Plugin) -> None:
    session = plugin.session(_MODEL)
    defaults = {option["name"]: _text(option["default"]) for option in _OPTIONS}
    changes = {key: defaults[key.rpartition(".")[2]] for key in _dynamic_keys(plugin)}
    session.set_ep_dynamic_options(changes)
    for key, value in changes.items():
        session.set_ep_dynamic_options({key: value})


def test_a_bad_value_of_a_dynamic_option_is_an_error(plugin: Plugin) -> None:
    session = plugin.session(_MODEL)
    for key in _dynamic_keys(plugin):
        for name, value in _bad_values():
            if key.endswith(f".{name}"):
                with pytest.raises(Exception, match=name):
                    session.set_ep_dynamic_options({key: value})


def test_what_is_not_dynamic_is_an_error_that_names_what_is(plugin: Plugin) -> None:
    session = plugin.session(_MODEL)
    fixed = [option["name"] for option in _OPTIONS if not option["dynamic"]]
    for name in [*fixed, "no_such_option"]:
        with pytest.raises(Exception, match=f"'ep.dynamic.{name}'") as caught:
            session.set_ep_dynamic_options({f"ep.dynamic.{name}": "1"})
        for key in _dynamic_keys(plugin):
            if key.startswith("ep.dynamic."):
                assert key in str(caught.value)
    session.set_ep_dynamic_options({"ep.someotherexecutionprovider.effort": "abc"})
<% endif %>
<% if excludes %>


def _other_value(option: dict[str, Any]) -> str:
    """A legal value that is not the default: an option at its default counts as not set."""
    default = option["default"]
    if option["type"] == "bool":
        return _text(not default)
    if option["type"] == "enum":
        return str(next(choice for choice in option["choices"] if choice != default))
    if option["type"] == "string":
        return f"not-{default}"
    bounds = (option["minimum"], option["maximum"], default + 1)
    return str(next(value for value in bounds if value not in (None, default)))


@pytest.mark.parametrize(
    ("name", "other"), [(o["name"], each) for o in _OPTIONS for each in o.get("excludes", ())]
)
def test_options_that_exclude_each_other_are_an_error(
    plugin: Plugin, name: str, other: str
) -> None:
    both = [option for option in _OPTIONS if option["name"] in (name, other)]
    values = {option["name"]: _other_value(option) for option in both}
    with pytest.raises(Exception, match=name) as caught:
        plugin.session(_MODEL, {name: values[name], other: values[other]})
    assert other in str(caught.value)
<% endif %>
