"""Compiled data that was tampered with: a status each time, whether its checksums are right or not.

Most of it is read by a project's own code under sanitizers, without ONNX Runtime; some by real
sessions. Real data is among what is spoilt: two real models and a small one, compiled by a project.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import blob_fuzz
import onnx
import pytest
from projects import Project

COMPILE = """
    from pathlib import Path
    models = [models.add_mul_add().SerializeToString(), {direction!r}, {squeezenet!r}]
    for name, model in zip(("chain", "direction", "squeezenet"), models):
        options = ort.SessionOptions()
        options.add_session_config_entry("ep.context_enable", "1")
        options.add_session_config_entry("ep.context_file_path", f"{out}/{{name}}.onnx")
        options.add_provider_for_devices([device], {{}})
        ort.InferenceSession(model, options, enable_fallback=0)
"""

#: Loads one model after the other; what works is run. Memory is short, so that nothing swallows it.
LOAD = """
    import resource
    from pathlib import Path
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
    outcomes = []
    for path in sorted(Path({folder!r}).glob("*.onnx")):
        options = ort.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        options.add_provider_for_devices([device], {{}})
        step, text, kind = "load", "", "onnxruntime"
        try:
            session = ort.InferenceSession(str(path), options, enable_fallback=0)
            step = "run"
            feeds = {{
                feed.name: np.ones([d if isinstance(d, int) else 1 for d in feed.shape], np.float32)
                for feed in session.get_inputs()
            }}
            if "direction" in path.name:
                feeds = {{name: np.ones((1, 3, 48, 192), np.float32) for name in feeds}}
            session.run(None, feeds)
            step = "ran"
        except Exception as error:
            text, kind = str(error), type(error).__module__
        outcomes.append((path.name, step, kind, text))
    print(json.dumps(outcomes))
"""


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> blob_fuzz.Fuzzer:
    return blob_fuzz.build(tmp_path_factory.mktemp("fuzz") / "project")


@pytest.fixture(scope="module")
def corpus(shipping: Project, model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """NAME.onnx and NAME.bin of each real model."""
    out = tmp_path_factory.mktemp("corpus")
    light = Path(onnx.__file__).parent / "backend/test/data/light/light_squeezenet.onnx"
    code = COMPILE.format(out=out, direction=str(model), squeezenet=str(light))
    done = shipping.python(code)
    assert done.returncode == 0, done.stderr
    for path in out.glob("*.onnx"):
        (data,) = out.glob(f"{path.stem}.*.bin")
        data.rename(out / f"{path.stem}.bin")
    return out


def check(
    fuzzer: blob_fuzz.Fuzzer, corpus: Path, counters: Path, count: int, floor: float
) -> tuple[blob_fuzz.Report, dict[str, float]]:
    """``count`` copies are read; of every file that reads them ``floor`` percent of the lines run.

    Returns what came of them, and the shares.
    """
    report = fuzzer.judge(corpus, seed=1, first=0, count=count, counters=counters)
    assert {"chain", "direction", "squeezenet"} < {line.base for line in report.bases}
    assert [line for line in report.bases if line.outcome != "ran"] == []
    assert len(report.lines) == count
    counts = report.counts()
    assert counts["open", "decode"] == count / 2  # no change gets past the checksums
    for outcome in ("decode", "restore", "ran"):
        assert counts["sealed", outcome] > count / 50
    assert [line for line in report.lines if (line.message == "") != (line.outcome == "ran")] == []
    assert report.memory[1] < 32  # bytes per byte
    coverage = fuzzer.coverage(counters)
    assert {name: share for name, share in coverage.items() if share < floor} == {}
    return report, coverage


def test_spoilt_data_gives_a_status(fuzzer: blob_fuzz.Fuzzer, corpus: Path, tmp_path: Path) -> None:
    assert check(fuzzer, corpus, tmp_path, 300, floor=80)


@pytest.mark.lab
def test_much_spoilt_data_gives_a_status(
    fuzzer: blob_fuzz.Fuzzer,
    corpus: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    report, coverage = check(fuzzer, corpus, tmp_path, 2000, floor=88)
    reasons = Counter(re.sub(r"\d+", "N", x.message) for x in report.lines if x.outcome == "decode")
    with capsys.disabled():
        for (state, outcome), count in sorted(report.counts().items()):
            print(f"\n  {count:5} {state:7}{outcome}", end="")
        for reason, count in reasons.most_common():
            print(f"\n  {count:5} {reason}", end="")
        for name, share in coverage.items():
            print(f"\n  {share:5.1f} % of the lines of {name}", end="")


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory) -> blob_fuzz.Fuzzer:
    """With the kernels of all families: spoilt programs may call any of them."""
    return blob_fuzz.build(tmp_path_factory.mktemp("larger") / "project", blob_fuzz.ALL_OPS)


@pytest.mark.lab
@pytest.mark.parametrize("seed", range(2, 10))
def test_spoilt_programs_call_all_kernels(
    larger: blob_fuzz.Fuzzer, corpus: Path, tmp_path: Path, seed: int
) -> None:
    report = larger.judge(corpus, seed, 0, 4000, tmp_path)
    assert len(report.lines) == 4000


@pytest.mark.lab
def test_spoilt_data_on_a_device_with_memory_of_its_own(
    corpus: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("device")
    fuzzer = blob_fuzz.build(folder / "project", device_memory=True)
    check(fuzzer, corpus, folder / "counters", 2000, floor=85)


def test_sessions_refuse_spoilt_data_or_run(
    shipping: Project, fuzzer: blob_fuzz.Fuzzer, corpus: Path, tmp_path: Path
) -> None:
    """The same in the library: 60 files of data, twenty for each real model."""
    spoilt = tmp_path / "spoilt"
    spoilt.mkdir()
    fuzzer.write(corpus, 11, 200, spoilt)
    folder = tmp_path / "models"
    folder.mkdir()
    for base in ("chain", "direction", "squeezenet"):
        model = onnx.load(corpus / f"{base}.onnx")
        for path in sorted(spoilt.glob(f"*.{base}.bin"))[:20]:
            shutil.copy(path, folder)
            for attribute in (a for node in model.graph.node for a in node.attribute):
                if attribute.name == "ep_cache_context":
                    attribute.s = path.name.encode()
            (folder / path.with_suffix(".onnx").name).write_bytes(model.SerializeToString())
    done = shipping.python(LOAD.format(folder=str(folder)))
    assert done.returncode == 0, done.stderr[-3000:]
    outcomes = json.loads(done.stdout)
    assert len(outcomes) == 60
    steps = Counter(step for _, step, _, _ in outcomes)
    assert steps["load"] > 30
    assert steps["ran"] > 0
    for name, step, kind, text in outcomes:
        assert step == "ran" or kind.startswith("onnxruntime"), (name, step, kind, text)
