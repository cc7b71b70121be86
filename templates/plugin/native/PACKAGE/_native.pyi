<%= banner %>
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

Attributes: TypeAlias = Sequence[tuple[str, str, Any]]

def run(
    domain: str,
    op: str,
    since: int,
    inputs: Sequence[Any],
    attributes: Attributes,
    outputs: Sequence[int | None],
    allocate: Callable[[int, str, tuple[int, ...]], Any],
) -> list[Any]: ...
def judge(
    domain: str,
    op: str,
    since: int,
    inputs: Sequence[int],
    outputs: Sequence[int],
    attributes: Attributes,
    has_graphs: bool,
) -> tuple[str, bool]: ...
def output_types(
    domain: str, op: str, since: int, inputs: Sequence[int], outputs: Sequence[int]
) -> list[int]: ...
<% if compiled %>
def divide(
    taken: Sequence[tuple[str, str, int] | None],
    edges: Sequence[tuple[int, int]],
    next: Sequence[int],
) -> tuple[list[tuple[list[int], bool]], list[tuple[str, list[int]]]]: ...
<% endif %>
def build_info() -> dict[str, Any]: ...
def devices() -> list[dict[str, Any]]: ...
def match_device(
    type: str, vendor_id: int, device_id: int, metadata: Mapping[str, str]
) -> dict[str, Any] | None: ...
<% if simulated_queues %>
def counters() -> dict[str, int]: ...  # in the test variant only
<% endif %>
