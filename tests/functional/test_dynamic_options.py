"""Options that applications change while a session lives."""

from __future__ import annotations

import textwrap

import pytest
from cpp_tests import assert_clean, instrumented, run
from projects import Project, built
from runtimes import SUPPORTED, runtime

BLUEPRINT = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
paradigm: compiled
ops: [Relu, Mul]
options:
  - {name: effort, type: int, range: [0, 3], excludes: [auto], dynamic: true, doc: Effort.}
  - {name: auto, type: bool, default: false, dynamic: true, doc: Let it choose.}
  - {name: workload_type, choices: [Default, Efficient], dynamic: true, doc: What matters.}
  - {name: scale, type: float, range: [0.5, 2.0], default: 1.0, doc: A factor.}
"""
# Makes [effort, auto] of the options as they are when it runs.
SHOWS_OPTIONS = """\
#include <memory>
#include <utility>

#include "gen/graph/executable.h"

namespace contoso_npu {
namespace {

class ShowsOptions final : public Executable {
 public:
  ShowsOptions(const Graph& graph, std::shared_ptr<const LiveOptions> options)
      : options_(std::move(options)) {
    for (const auto value : graph.inputs) inputs_.push_back(PortOf(graph, value));
    for (const auto value : graph.outputs) outputs_.push_back(PortOf(graph, value));
  }
  const std::vector<Port>& inputs() const noexcept override { return inputs_; }
  const std::vector<Port>& outputs() const noexcept override { return outputs_; }
  Status Run(Inputs /*inputs*/, Results& results, Exec& /*exec*/) const override {
    const std::shared_ptr<const Options> now = options_->Get();
    MutableTensor shown;
    EP_RETURN_IF_ERROR(results.Allocate(0, {2}, &shown));
    shown.data<float>()[0] = static_cast<float>(now->effort);
    shown.data<float>()[1] = now->auto_ ? 1.0F : 0.0F;
    return Status();
  }
  Status Save(Saved* /*saved*/) const override { return NotImplemented("it cannot be saved"); }

 private:
  static Port PortOf(const Graph& graph, size_t value) {
    return {graph.values[value].name, graph.values[value].dtype};
  }

  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  std::shared_ptr<const LiveOptions> options_;
};

}  // namespace

Status Compile(const CompileRequest& request, std::unique_ptr<Executable>* executable) {
  *executable = std::make_unique<ShowsOptions>(*request.graph, request.live_options);
  return Status();
}

}  // namespace contoso_npu
"""
SESSION = """
    from concurrent.futures import ThreadPoolExecutor

    model = models.model([models.node("Relu", ["X"], ["Y"], name="r0")],
                         [models.value("X", [2])], [models.value("Y", [2])])

    def opened(options=None):
        return models.session(model, device, options)

    def shown(session):
        effort, auto = session.run(None, {"X": np.zeros(2, np.float32)})[0]
        return int(effort), int(auto)

    def refused(session, changes):
        try:
            session.set_ep_dynamic_options(changes)
        except Exception as error:
            return str(error)
        raise AssertionError(f"accepted {changes}")

    own = f"ep.{device.ep_name.lower()}."
"""
EVERY = pytest.mark.parametrize(
    "version",
    [SUPPORTED[0], *(pytest.param(each, marks=pytest.mark.lab) for each in SUPPORTED[1:])],
)


@pytest.fixture(scope="module")
def project() -> Project:
    return built(BLUEPRINT, changes={"src/graph/compile.cc": SHOWS_OPTIONS})


def ok(of: Project, code: str, version: str) -> None:
    source = textwrap.dedent(SESSION) + textwrap.dedent(code) + "\nprint('ok')\n"
    result = of.python(source, runtime=runtime(version))
    assert (result.returncode, result.stdout[-3:]) == (0, "ok\n"), result.stdout + result.stderr


@EVERY
def test_a_change_is_seen_by_what_runs(project: Project, version: str) -> None:
    ok(
        project,
        """
        session, other = opened({"effort": "1"}), opened()
        assert shown(session) == (1, 0)
        session.set_ep_dynamic_options({"ep.dynamic.effort": "3"})
        assert shown(session) == (3, 0)
        both = {own + "effort": "2", "ep.dynamic.workload_type": "Efficient"}
        session.set_ep_dynamic_options(both)
        assert shown(session) == (2, 0)
        assert shown(other) == (0, 0)
        """,
        version,
    )


@EVERY
def test_all_of_a_change_is_taken_or_nothing(project: Project, version: str) -> None:
    ok(
        project,
        """
        session = opened({"effort": "2"})
        for bad in ({"ep.dynamic.workload_type": "Fast"}, {own + "scale": "1.5"},
                    {"ep.dynamic.no_such_option": "1"}, {"ep.dynamic.auto": "1"}):
            text = refused(session, {"ep.dynamic.effort": "1", **bad})
            for key in bad:
                assert key.rpartition(".")[2] in text, text
            assert shown(session) == (2, 0), bad
        # What excludes each other may change places in one call.
        session.set_ep_dynamic_options({"ep.dynamic.auto": "1", "ep.dynamic.effort": "0"})
        assert shown(session) == (0, 1)
        """,
        version,
    )


@EVERY
def test_other_keys_are_refused_with_those_that_there_are(project: Project, version: str) -> None:
    ok(
        project,
        """
        session = opened()
        for key in ("effort", "ep.dynamic.scale", own + "scale", "ep.dynamic.efort", "ep.dynamic."):
            text = refused(session, {key: "1"})
            assert f"'{key}'" in text, text
            for name in ("effort", "auto", "workload_type"):
                assert f"ep.dynamic.{name}" in text, text
            assert "ep.dynamic.scale" not in text.replace(f"'{key}'", ""), text
        assert "ep.dynamic." in refused(session, {"EP.dynamic.effort": "1"})
        assert own in refused(session, {f"ep.{device.ep_name}.effort": "1"})
        # Another one's: ORT tells every execution provider of the session.
        session.set_ep_dynamic_options({"ep.someotherexecutionprovider.effort": "x"})
        assert shown(session) == (0, 0)
        """,
        version,
    )


def test_runs_on_other_threads_see_one_state_or_the_other(project: Project) -> None:
    ok(
        project,
        """
        session = opened({"effort": "2"})
        states = [{"ep.dynamic.auto": "1", "ep.dynamic.effort": "0"},
                  {"ep.dynamic.auto": "0", "ep.dynamic.effort": "2"}]
        with ThreadPoolExecutor(4) as pool:
            runs = [pool.submit(lambda: {shown(session) for _ in range(500)}) for _ in range(3)]
            changes = 0
            while not all(each.done() for each in runs) or changes < 50:
                session.set_ep_dynamic_options(states[changes % 2])
                changes += 1
        seen = set.union(*(each.result() for each in runs))
        assert seen <= {(0, 1), (2, 0)}, seen
        """,
        SUPPORTED[-1],
    )


@pytest.mark.lab
@pytest.mark.parametrize("preset", ["asan", "tsan"])
def test_keys_and_threads_in_c_plus_plus(preset: str) -> None:
    """The generated test."""
    assert_clean(run(instrumented(BLUEPRINT, preset), "options_test"))
