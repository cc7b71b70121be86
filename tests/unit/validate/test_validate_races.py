"""What ThreadSanitizer writes, and which of it is a library's doing."""

from __future__ import annotations

from pathlib import Path

from epforge.validate.races import reports

OWN = Path("/build/libcontoso.so")
RUNTIME = "/wheel/libonnxruntime.so.1.32.0"


def frame(number: int, module: str | Path, function: str, place: str = "<null>") -> str:
    return f"    #{number} 0x7f00{number:04d} ({module}+0x1{number}0) in {function} {place}"


RACE = "\n".join(
    [
        "==================",
        "WARNING: ThreadSanitizer: data race (pid=17)",
        "  Write of size 8 at 0x7b08 by thread T4 (mutexes: write M10):",
        frame(0, OWN, "std::vector<int>::push_back(int&&)", "/usr/include/stl_vector.h:9"),
        frame(1, OWN, "contoso::Ep::Registry()", "/src/abi/ep.cc:44"),
        frame(2, RUNTIME, "<null>"),
        "",
        "  Previous read of size 8 at 0x7b08 by thread T3:",
        frame(0, OWN, "contoso::Ep::Name() const", "/src/abi/ep.cc:51"),
        frame(1, RUNTIME, "<null>"),
        "",
        "  Location is heap block of size 8 at 0x7b08 allocated by main thread:",
        frame(0, OWN, "contoso::Elsewhere()", "/src/abi/other.cc:1"),
        "SUMMARY: ThreadSanitizer: data race ...",
        "==================",
    ]
)
FOREIGN = "\n".join(
    [
        "==================",
        "WARNING: ThreadSanitizer: data race (pid=17)",
        "  Write of size 8 at 0x7b10 by thread T4:",
        frame(0, "/usr/lib/libtsan.so.2", "memcpy"),
        frame(1, RUNTIME, "<null>"),
        "",
        "  Previous write of size 8 at 0x7b10 by main thread:",
        frame(0, RUNTIME, "<null>"),
        "==================",
    ]
)


def test_both_sides_of_a_race_have_their_places() -> None:
    (race,) = reports(f"noise\n{RACE}\nmore noise")
    assert race.kind == "data race"
    text = race.text(OWN)
    assert text.startswith("write in contoso::Ep::Registry (/src/abi/ep.cc:44) and previous read")
    assert text.endswith("contoso::Ep::Name (/src/abi/ep.cc:51)")


def test_what_the_runtime_does_with_itself_is_not_the_librarys() -> None:
    first, second = reports(f"{FOREIGN}\n{RACE}")
    assert first.text(OWN) == ""
    assert second.text(OWN)


def test_a_report_without_accesses_has_its_first_stack() -> None:
    text = "\n".join(
        [
            "WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=17)",
            "  Cycle in lock order graph: M1 => M2 => M1",
            "",
            "  Mutex M2 acquired here while holding mutex M1 in thread T1:",
            frame(0, "/usr/lib/libtsan.so.2", "pthread_mutex_lock"),
            frame(1, OWN, "contoso::Lock()", "/src/device/queue.cc:7"),
            "==================",
        ]
    )
    (race,) = reports(text)
    assert race.kind == "lock-order-inversion"
    assert race.text(OWN) == "seen in contoso::Lock (/src/device/queue.cc:7)"


def test_a_report_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    (race,) = reports(RACE[: RACE.index("  Previous")])
    assert race.text(OWN) == "write in contoso::Ep::Registry (/src/abi/ep.cc:44)"


def test_a_clean_program_has_none() -> None:
    assert reports("nothing\nof that kind\n") == []
