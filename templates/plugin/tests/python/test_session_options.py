<%= banner %>
"""Sessions by way of the package: options of Python's values, and proof of where they run."""

from typing import Any

import onnx
import onnxruntime
import pytest

import <%= package %> as package
<% if options %>
from <%= package %> import _options
<% endif %>
from support import NUMBERS, Plugin, fresh, trials

_RECORD = "session.record_ep_graph_assignment_info"
_NO_CPU = "session.disable_cpu_ep_fallback"


def _session(plugin: Plugin, settings: Any) -> onnxruntime.InferenceSession:
    settings.log_severity_level = 3
    model = next(trials(plugin.manifest)).build().model
    return onnxruntime.InferenceSession(model, settings, enable_fallback=0)


def _entry(settings: Any, key: str) -> str | None:
    try:
        return str(settings.get_session_config_entry(key))
    except RuntimeError:
        return None


<% if options %>
def _arrived(plugin: Plugin, settings: Any, option: package.Option) -> str | None:
    """What a session has been given. Older runtimes tell no provider options of a session."""
    session = _session(plugin, settings)
    return _entry(session.get_session_options(), f"ep.{plugin.name.lower()}.{option.name}")


<% endif %>
def test_a_session_with_them_is_on_the_execution_provider(plugin: Plugin) -> None:
    session = _session(plugin, package.session_options(device=plugin.device))
    package.assert_ep_selected(session)
<% if not nhwc %>
    package.assert_ep_selected(session, entirely=True)
<% endif %>


def test_the_cpu_may_help_unless_it_is_told_not_to(plugin: Plugin) -> None:
    settings = package.session_options(device=plugin.device)
    assert _entry(settings, _NO_CPU) != "1"
    strict = package.session_options(device=plugin.device, fallback=False)
    assert _entry(strict, _NO_CPU) == "1"


def test_without_a_device_the_first_one_is_taken(plugin: Plugin) -> None:
    assert plugin.name in _session(plugin, package.session_options()).get_providers()


def test_before_registration_there_is_an_error_that_says_what_to_do(plugin: Plugin) -> None:
    result = fresh(
        """
        import <%= package %> as package
        try:
            package.session_options()
        except RuntimeError as error:
            print(error)
        """
    )
    assert "register()" in result.stdout


def test_the_device_of_another_is_refused(plugin: Plugin) -> None:
    others = [each for each in onnxruntime.get_ep_devices() if each.ep_name != plugin.name]
    for other in others:
        if other.ep_name not in package.get_ep_names():
            with pytest.raises(ValueError, match=other.ep_name):
                package.session_options(device=other)
    with pytest.raises(ValueError, match="none"):
        package.session_options(device=[])


def _foreign_model(plugin: Plugin) -> tuple[str, bytes]:
    """An operator that the library does not compute, and a model of it."""
    own = {entry["op"] for entry in plugin.manifest["ops"] if entry["ready"]}
    others = [op for op in ("Tan", "Sinh", "Cosh", "Atanh", "Det") if op not in own]
    if not others:
        pytest.skip("the library computes all operators that this test knows")
    op = others[0]
    number = NUMBERS["float32"]
    values = [onnx.helper.make_tensor_value_info("x", number, [2, 2])]
    values.append(onnx.helper.make_tensor_value_info("y", number, None))
    node = onnx.helper.make_node(op, ["x"], ["y"], name="elsewhere")
    graph = onnx.helper.make_graph([node], "graph", values[:1], values[1:])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    model.ir_version = 8
    return op, model.SerializeToString()


def test_a_session_whose_nodes_all_went_elsewhere_is_told_apart(plugin: Plugin) -> None:
    op, model = _foreign_model(plugin)
    settings = package.session_options(device=plugin.device)
    session = onnxruntime.InferenceSession(model, settings, enable_fallback=0)
    assert plugin.name in session.get_providers()  # which alone proves nothing
<% if nhwc %>
    if tuple(map(int, onnxruntime.__version__.split(".")[:2])) < (1, 32):
        pytest.skip("this onnxruntime does not record what it has converted")
<% endif %>
    with pytest.raises(AssertionError, match=f"{op} 'elsewhere' on CPUExecutionProvider"):
        package.assert_ep_selected(session)


def test_a_session_without_the_execution_provider_is_told_apart(plugin: Plugin) -> None:
    _, model = _foreign_model(plugin)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    with pytest.raises(AssertionError, match=f"CPUExecutionProvider.*not on.*{plugin.name}"):
        package.assert_ep_selected(session)


def test_a_session_that_records_nothing_passes_by_its_list(plugin: Plugin) -> None:
    settings = onnxruntime.SessionOptions()
    settings.add_provider_for_devices([plugin.device], {})
    session = _session(plugin, settings)
    package.assert_ep_selected(session)
    with pytest.raises(AssertionError, match="not recorded"):
        package.assert_ep_selected(session, entirely=True)


def test_an_unknown_option_is_an_error_that_lists_the_known(plugin: Plugin) -> None:
    with pytest.raises(ValueError, match="no_such_option") as caught:
        package.session_options({"no_such_option": 1}, device=plugin.device)
    for option in package.OPTIONS:
        assert option.name in str(caught.value)


<% if options %>
def _values(option: package.Option) -> list[Any]:
    """Values of Python's that the library takes."""
    if option.type == "bool":
        return [True, False]
    bounds = [option.minimum, option.maximum]
    return [option.default, *option.choices, *(value for value in bounds if value is not None)]


def _bad_values(option: package.Option) -> list[Any]:
    """Values out of range, or none of the option's."""
    if option.type == "string":
        return ["a\0b"]
    bad: list[Any] = [] if option.type == "enum" else ["abc", ""]
    bad += ["no-such-choice"] if option.type == "enum" else []
    bad += [option.minimum - 1] if option.minimum is not None else []
    bad += [option.maximum + 1] if option.maximum is not None else []
    bad += [2**63, "1.5"] if option.type == "int" else []
    return bad + ([float("nan"), 10**400] if option.type == "float" else [])


@pytest.mark.parametrize("option", package.OPTIONS, ids=lambda option: option.name)
def test_values_of_python_s_arrive(plugin: Plugin, option: package.Option) -> None:
    for value in _values(option):
        settings = package.session_options({option.name: value}, device=plugin.device)
        assert _arrived(plugin, settings, option) == _options.text(option, value)


@pytest.mark.parametrize("option", package.OPTIONS, ids=lambda option: option.name)
def test_none_leaves_it_to_the_library(plugin: Plugin, option: package.Option) -> None:
    settings = package.session_options({option.name: None}, device=plugin.device)
    assert _arrived(plugin, settings, option) == _options.text(option, option.default)


@pytest.mark.parametrize("option", package.OPTIONS, ids=lambda option: option.name)
def test_a_bad_value_is_an_error_that_says_what_it_is_for(
    plugin: Plugin, option: package.Option
) -> None:
    for value in _bad_values(option):
        with pytest.raises(ValueError, match=option.name) as caught:
            package.session_options({option.name: value}, device=plugin.device)
        assert option.doc in str(caught.value)


@pytest.mark.parametrize("option", package.OPTIONS, ids=lambda option: option.name)
def test_a_value_of_a_wrong_type_is_an_error(plugin: Plugin, option: package.Option) -> None:
    wrong: list[Any] = [object(), b"1", [1], *([] if option.type == "bool" else [True])]
    for value in wrong:
        with pytest.raises(TypeError, match=option.name):
            package.session_options({option.name: value}, device=plugin.device)


<% if keyword %>
def test_options_are_keywords_but_not_twice(plugin: Plugin) -> None:
    (option,) = [each for each in package.OPTIONS if each.name == <%= keyword | py_string %>]
    one: dict[str, Any] = {option.name: option.default}
    settings = package.session_options(device=plugin.device, **one)
    assert _arrived(plugin, settings, option) == _options.text(option, option.default)
    with pytest.raises(ValueError, match="twice"):
        package.session_options(one, device=plugin.device, **one)


<% endif %>
@pytest.mark.parametrize("option", package.OPTIONS, ids=lambda option: option.name)
def test_the_device_publishes_the_default(plugin: Plugin, option: package.Option) -> None:
    assert plugin.device.ep_options[option.name] == _options.text(option, option.default)
<% endif %>
