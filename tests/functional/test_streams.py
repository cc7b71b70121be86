"""Queues of the device's work: sessions, copies and applications on the strict simulated device.

Everything on the device is late here, so that what does not wait for it is wrong. FR 51, 54 and 55
are among the checks; support/stream_checks.py has them all.
"""

from __future__ import annotations

import pytest
from cpp_tests import NEWEST
from projects import Project
from runtimes import SUPPORTED
from stream_checks import CHECKS
from stream_projects import COMPILED, REGISTRY, checked, project

#: What is about copies alone, and what takes kernels of the device in a session of two queues.
_OF_REGISTRY = {
    *("copies_without_a_stream_are_complete", "copies_on_a_stream_keep_its_order"),
    *("an_upload_leaves_the_host_s_memory", "a_download_is_there_on_return"),
    *("a_copy_without_a_stream_waits_for_all", "memory_that_both_reach"),
    *("queues_wait_for_each_other", "sessions_out_of_a_pool"),
}
#: Of compiled groups, those that are not the same as of kernels; the rest in the lab.
_OF_GROUPS = {
    *("kernels_follow_their_queue", "a_run_s_stream_is_used", "two_sessions_at_once"),
    *("values_that_cross_inside_a_group", "an_error_in_a_queue_reaches_the_run"),
}
_GROUPS = [
    pytest.param(check, marks=() if check in _OF_GROUPS else pytest.mark.lab)
    for check in sorted(CHECKS.keys() - _OF_REGISTRY)
]
OLDER = [pytest.param(version, marks=pytest.mark.lab) for version in SUPPORTED[:-1]]
EVERY = pytest.mark.parametrize("version", [*OLDER, NEWEST])


@pytest.fixture(scope="module")
def registry() -> Project:
    return project(REGISTRY)


@pytest.fixture(scope="module")
def groups() -> Project:
    return project(COMPILED)


@EVERY
@pytest.mark.parametrize("check", sorted(CHECKS))
def test_kernels(registry: Project, check: str, version: str) -> None:
    result = checked(registry, check, version)
    assert result.returncode == 0, result.stderr[-4000:]


@EVERY
@pytest.mark.parametrize("check", _GROUPS)
def test_groups(groups: Project, check: str, version: str) -> None:
    result = checked(groups, check, version)
    assert result.returncode == 0, result.stderr[-4000:]
