"""Models of com.microsoft's operators run wholly on the library, as on the CPU."""

from __future__ import annotations

import json

import language_model
import pytest
from projects import Project, built

BLUEPRINT = f"""\
epforge: 1
name: acme-npu
vendor: Acme
types: [float32, int32, int64, uint8]
ops: [{", ".join(language_model.OPS)}]
"""

PRELUDE = """
    import language_model as lm

    data = lm.language_model().SerializeToString()
    options = ort.SessionOptions()
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    options.add_provider_for_devices([device], {})
    ours = ort.InferenceSession(data, options, enable_fallback=0)
    cpu = ort.InferenceSession(data, providers=["CPUExecutionProvider"])
    random = np.random.default_rng(3)

    def tokens(count):
        return random.integers(0, lm.WORDS, (2, count))

    def mask(length, capacity):
        return (np.arange(capacity) < np.array(length)[:, None]).astype(np.int64)
"""


@pytest.fixture(scope="module")
def project() -> Project:
    return built(BLUEPRINT)


def test_a_language_model_writes_as_on_the_cpu(project: Project) -> None:
    """A prompt and the tokens after it, each with the cache of the step before."""
    done = project.python(
        PRELUDE
        + """
    past = lm.empty_cache(2)
    names = [output.name for output in ours.get_outputs()]
    steps = []
    for step, count in enumerate((5, 1, 1, 1)):
        length = 5 + step
        feeds = {"input_ids": tokens(count), "attention_mask": mask([length] * 2, length), **past}
        mine, theirs = (dict(zip(names, s.run(None, feeds))) for s in (ours, cpu))
        for name in names:
            np.testing.assert_allclose(mine[name], theirs[name], rtol=1e-3, atol=1e-4)
        past = {name.replace("present", "past"): v for name, v in mine.items() if name != "logits"}
        steps.append(past["past_key.0"].shape)
    print(json.dumps(steps))
    """
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[2, 2, 5, 16], [2, 2, 6, 16], [2, 2, 7, 16], [2, 2, 8, 16]]


def test_a_language_model_writes_into_the_cache_that_it_reads(project: Project) -> None:
    """The past and the present are one buffer with room for all that is to come; the batches
    are of different lengths."""
    done = project.python(
        PRELUDE
        + """
    wrap = ort.OrtValue.ortvalue_from_numpy
    mine, theirs = ({n: wrap(v) for n, v in lm.empty_cache(2, 12).items()} for _ in range(2))

    def run(session, cache, ids, seen):
        binding = session.io_binding()
        binding.bind_cpu_input("input_ids", ids)
        binding.bind_cpu_input("attention_mask", seen)
        for name, buffer in cache.items():
            binding.bind_ortvalue_input(name, buffer)
            binding.bind_ortvalue_output(name.replace("past", "present"), buffer)
        binding.bind_output("logits")
        session.run_with_iobinding(binding)
        return binding.get_outputs()[-1].numpy()

    lengths = np.array([5, 3])
    for step, count in enumerate((5, 1, 1, 1)):
        seen = mask(lengths + step, 5 + step)
        ids = tokens(count)
        one, other = run(ours, mine, ids, seen), run(cpu, theirs, ids, seen)
        for batch, length in enumerate(lengths):
            valid = length if count > 1 else 1
            pairs = [(one[batch, :valid], other[batch, :valid])]
            for name in mine:
                pairs.append([c[name].numpy()[batch, :, : length + step] for c in (mine, theirs)])
            for a, b in pairs:
                np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)
    print(float(np.abs(mine["past_key.1"].numpy()).sum()))
    """
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 0
