"""Outputs that a library leaves without a value."""

from __future__ import annotations

import numpy as np

from epforge.validate.worker.compare import unset


def test_an_output_without_a_value_is_named() -> None:
    one = np.zeros(2, np.float32)
    assert unset([one, None], [one, one]) == "output 1 has no value"
    assert unset([None], [one]) == "output has no value"
    assert unset([one, None], [one, None]) == ""  # an optional one that is empty
    assert unset([one], [one]) == ""
