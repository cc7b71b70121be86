"""What is made once per object."""

import gc
import weakref
from dataclasses import dataclass, field, replace

from epforge.plan.once import once


@dataclass(frozen=True)
class Item:
    name: str
    holds: dict[str, int] = field(default_factory=dict)  # so it has no hash


def test_the_function_runs_once_per_object_and_again_for_an_equal_one() -> None:
    made = []

    @once
    def name_of(item: Item) -> str:
        """What it says."""
        made.append(item)
        return item.name

    first = Item("a")
    assert [name_of(first), name_of(first), name_of(replace(first))] == ["a", "a", "a"]
    assert len(made) == 2
    assert name_of.__doc__ == "What it says."


def test_what_was_made_goes_with_its_object() -> None:
    class Result:
        pass

    @once
    def result_of(item: Item) -> Result:
        return Result()

    item = Item("a")
    known = weakref.ref(result_of(item))
    assert known() is not None
    del item
    gc.collect()
    assert known() is None
