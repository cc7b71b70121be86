<%= banner %>
"""Sessions on the execution provider: made, and looked at."""

from collections.abc import Mapping, Sequence
<% if enums %>
from typing import Any, Literal, Never
<% else %>
from typing import Any, Never
<% endif %>

from . import _identity, _options, _runtime
from ._registration import devices
from ._types import Device
<% if enums %>

<% for enum in enums %>
# Of the option <%= enum.option | line %>.
<% if enum.choices | length == 1 %>
<%= enum.alias %> = Literal[<%= enum.choices[0] | py_string %>]
<% else %>
<%= enum.alias %> = Literal[
<% for choice in enum.choices %>
    <%= choice | py_string %>,
<% endfor %>
]
<% endif %>
<% endfor %>
<% endif %>

_RECORD = "session.record_ep_graph_assignment_info"
_SHOWN = 10  # nodes in an error's text


def session_options(
    options: Mapping[str, object] | None = None,
    *,
    device: Device | Sequence[Device] | None = None,
    fallback: bool = True,
<% for option in keywords %>
    <%= option.name %>: <%= option.annotation %> | None = None,
<% endfor %>
    **others: Never,
) -> Any:
    """New `onnxruntime.SessionOptions` for sessions on the execution provider.

    Sessions that are made with them record which node goes where, for `assert_ep_selected`.

<% if keywords %>
    Provider options are keywords, or entries of `options`. `_options.py` says which text a value
    becomes; None leaves the option to the library.
<% else %>
    No provider option is a keyword.
<% endif %>

    Args:
        options: provider options by name, as from a file.
<% if mapped %>
            In no other way, for the names are taken: <%= mapped | line %>.
<% endif %>
        device: one of `devices()`, or several of one execution provider; by default the first.
        fallback: may the CPU compute what the device does not take? As ONNX Runtime has it: yes.
            With False it is an error to have such a node, and no fault of the execution
            provider's is covered up: that is for tests.
<% for option in keywords %>
        <%= option.name %>: <%= option.about | line %>
<% endfor %>
        others: nothing: an error that lists the options.

    Raises:
        ImportError: no onnxruntime is installed.
        RuntimeError: there is no device, or the library is not registered.
        TypeError: an option's value is of a wrong type.
        ValueError: there is no such option, or no such value of it; or the device is another
            execution provider's.
    """
    named: dict[str, object] = {
<% for option in keywords %>
        <%= option.name | py_string %>: <%= option.name %>,
<% endfor %>
        **others,
    }
    texts = _options.texts(options, named)
    settings = _runtime.onnxruntime().SessionOptions()
    settings.add_provider_for_devices(_chosen(device), texts)
    # After the device: with it come the published defaults, which overwrite what is there.
    settings.add_session_config_entry(_RECORD, "1")
    if not fallback:
        settings.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    return settings


def assert_ep_selected(session: Any, *, entirely: bool = False) -> None:
    """Makes sure that a session computes on the execution provider.

    Args:
        session: an `onnxruntime.InferenceSession`. When it has recorded which node goes where, as
            with `session_options`, at least one has to be the execution provider's; otherwise it
            has to be among the session's.
        entirely: is every node to be? Takes a session that has recorded.

    Raises:
        AssertionError: it does not; the text says what does.
    """
    used = session.get_providers()
    if set(_identity.EP_NAMES).isdisjoint(used):
        raise AssertionError(f"the session is on {', '.join(used)}, not on {_wanted()}")
    record = _record(session)
    if not record:
        if entirely:
            raise AssertionError("the session has not recorded which node goes where")
        return
    elsewhere = [
        f"{node} on {ep}"
        for ep, nodes in record.items()
        for node in nodes
        if ep not in _identity.EP_NAMES
    ]
    nothing = set(_identity.EP_NAMES).isdisjoint(record)
<% if nhwc %>
    # Older runtimes record no node that they have converted to the device's layout.
    nothing = nothing and not _runtime.is_older(_runtime.onnxruntime().__version__, "1.32")
<% endif %>
    if nothing or (entirely and elsewhere):
        shown = ", ".join(elsewhere[:_SHOWN])
        more = f" and {len(elsewhere) - _SHOWN} more" if len(elsewhere) > _SHOWN else ""
        what = "no node is" if nothing else "not every node is"
        raise AssertionError(f"{what} on {_wanted()}: {shown}{more}")


def _wanted() -> str:
    return " or ".join(_identity.EP_NAMES)


def _record(session: Any) -> dict[str, list[str]]:
    """The nodes by execution provider; empty when the session has not recorded them."""
    try:
        recorded = session.get_session_options().get_session_config_entry(_RECORD) == "1"
    except RuntimeError:  # there is no such entry
        return {}
    if not recorded or not hasattr(session, "get_provider_graph_assignment_info"):
        return {}
    record: dict[str, list[str]] = {}
    for part in session.get_provider_graph_assignment_info():
        nodes = [f"{node.op_type} '{node.name}'" for node in part.get_nodes()]
        record.setdefault(part.ep_name, []).extend(nodes)
    return record


def _chosen(device: Device | Sequence[Device] | None) -> list[Device]:
    if device is None:
        chosen = devices()[:1]
        if not chosen:
            raise RuntimeError(
                f"there is no device of {_wanted()}: call register() first; python -m "
                f"{__package__} says what there is"
            )
        return chosen
    chosen = list(device) if isinstance(device, Sequence) else [device]
    foreign = [each.ep_name for each in chosen if each.ep_name not in _identity.EP_NAMES]
    if foreign or not chosen:
        raise ValueError(f"expected devices of {_wanted()}, not {', '.join(foreign) or 'none'}")
    return chosen
