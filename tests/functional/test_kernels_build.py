"""Kernels without ONNX Runtime: they compile without a warning and compute the right things."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from compiled import SANITIZERS, link
from compilers import sanitizing
from kernel_project import CHECKED_TYPES, make_op, write_kernels

from epforge.ops import families
from epforge.ops.families._common import ANY
from epforge.ops.model import DType
from epforge.resolve.model import KernelSource

_TYPES = [DType.FLOAT32, DType.INT64, DType.BOOL]
_PLAIN = ["-O1", "-fPIC"]  # as the other tests of kernels, who share what is compiled
_CHECKED = ["-O1", *SANITIZERS]


def _run(project: Path, compiler: str, flags: Sequence[str], main: str = "kernels_test.cc") -> str:
    """Compiles the kernels with a test program, runs it and returns what it says."""
    program = link(project, [project / "tests/cpp" / main], compiler, flags)
    result = subprocess.run([str(program)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def _every_op(directory: Path, types: Sequence[DType]) -> Path:
    write_kernels(directory, [make_op(row.op, types, domain=row.domain) for row in families.rows()])
    return directory


def test_every_family_is_right_under_gcc(tmp_path: Path) -> None:
    """Of all types that the harness has, 16-bit floats among them: those that kernels convert, and
    those that they move."""
    assert " 0 failed" in _run(_every_op(tmp_path, ANY), "g++", _PLAIN)


def test_every_family_is_right_with_sanitizers(tmp_path: Path) -> None:
    assert " 0 failed" in _run(_every_op(tmp_path, CHECKED_TYPES), sanitizing(), _CHECKED)


#: One op of each template that dispatches over many types, and those that the edges are about.
_MANY_TYPES = (
    "Abs Add BitShift Cast Clip Div Less Max Min Mod Mul Neg PRelu Pow ReduceSum Sign Sub Where"
)


def test_all_element_types_are_right(tmp_path: Path) -> None:
    write_kernels(tmp_path, [make_op(name) for name in _MANY_TYPES.split()])
    assert " 0 failed" in _run(tmp_path, sanitizing(), _CHECKED)


_EDGES = """
#include "kernel_harness.h"

using namespace acme_npu;
using namespace acme_npu::test;

namespace {

constexpr double kSmallest = -2147483648.0;

void TestIntegersNeverTrap() {
  const DType t = DType::kInt32;
  Call("", "Div", 14).Input(t, {3}, {7, kSmallest, -7}).Input(t, {3}, {0, -1, 2})
      .Expect(t, {3}, {0, kSmallest, -3}).Run();
  for (int64_t fmod : {0, 1}) {
    Call("", "Mod", 13).With("fmod", fmod).Input(t, {2}, {7, kSmallest}).Input(t, {2}, {0, -1})
        .Expect(t, {2}, {0, 0}).Run();
  }
  Call("", "Add", 14).Input(t, {}, {2147483647}).Input(t, {}, {1}).Expect(t, {}, {kSmallest}).Run();
  Call("", "Sub", 14).Input(t, {}, {kSmallest}).Input(t, {}, {1}).Expect(t, {}, {2147483647}).Run();
  Call("", "Mul", 14).Input(t, {}, {65536}).Input(t, {}, {65537}).Expect(t, {}, {65536}).Run();
  Call("", "Abs", 13).Input(t, {}, {kSmallest}).Expect(t, {}, {kSmallest}).Run();
  Call("", "Neg", 13).Input(t, {}, {kSmallest}).Expect(t, {}, {kSmallest}).Run();
  Call("", "Pow", 15).Input(t, {4}, {3, 2, -1, 0}).Input(DType::kInt64, {4}, {20, -1, -3, -1})
      .Expect(t, {4}, {-808182895, 0, -1, 0}).Run();
  const DType u8 = DType::kUint8;
  Call("", "Mul", 14).Input(u8, {}, {255}).Input(u8, {}, {255}).Expect(u8, {}, {1}).Run();
  const DType u16 = DType::kUint16;
  Call("", "Mul", 14).Input(u16, {}, {65535}).Input(u16, {}, {65535}).Expect(u16, {}, {1}).Run();
}

void TestNanGoesThroughMaxAndMin() {
  const DType t = DType::kFloat32;
  for (const char* op : {"Max", "Min"}) {
    Call("", op, 13).Input(t, {3}, {kNaN, 1, kNaN}).Input(t, {3}, {1, kNaN, kNaN})
        .Expect(t, {3}, {kNaN, kNaN, kNaN}).Run();
  }
}

void TestCastOfWhatDoesNotFitIsDefined() {
  const DType f = DType::kFloat32;
  Call("", "Cast", 13).With("to", DType::kInt32).Input(f, {4}, {kNaN, 3e9, -3e9, kInfinity})
      .Expect(DType::kInt32, {4}, {kSmallest, kSmallest, kSmallest, kSmallest}).Run();
  Call("", "Cast", 13).With("to", DType::kUint8).Input(f, {3}, {-1, 257, 255.9})
      .Expect(DType::kUint8, {3}, {255, 1, 255}).Run();
  Call("", "Cast", 13).With("to", DType::kUint64).Input(f, {2}, {9223372036854775808.0, 12})
      .Expect(DType::kUint64, {2}, {9223372036854775808.0, 12}).Run();
  Call("", "Cast", 13).Input(f, {}, {1}).Expect(f, {}, {1}).Refuse(StatusCode::kInvalidArgument);
}

void TestBroadcasting() {
  const DType t = DType::kFloat32;
  // Nine dimensions that join to one, and nine that take turns and do not.
  Call("", "Add", 14).Input(t, {1, 1, 1, 1, 1, 1, 2, 1, 2}, {1, 2, 3, 4})
      .Input(t, {1, 1, 1, 1, 1, 1, 2, 1, 2}, {1, 1, 1, 1})
      .Expect(t, {1, 1, 1, 1, 1, 1, 2, 1, 2}, {2, 3, 4, 5}).Run();
  Call("", "Add", 14).Input(t, {2, 1, 2, 1, 2, 1, 2, 1, 2}, Numbers(kThirtyTwo))
      .Input(t, {1, 2, 1, 2, 1, 2, 1, 2, 1}, Numbers(kSixteen))
      .Expect(t, {}, {0}).Refuse(StatusCode::kNotImplemented);
  Call("", "Add", 14).Input(t, {2}, {1, 2}).Input(t, {3}, {1, 2, 3}).Expect(t, {}, {0})
      .Refuse(StatusCode::kInvalidArgument);
  Call("", "PRelu", 16).Input(t, {2}, {1, 2}).Input(t, {2, 2}, {1, 2, 3, 4}).Expect(t, {}, {0})
      .Refuse(StatusCode::kInvalidArgument);
  // Outer, middle and inner dimension of a; the middle one of b.
  Call("", "Sub", 14).Input(t, {2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
      .Input(t, {1, 3, 1}, {10, 20, 30})
      .Expect(t, {2, 3, 2}, {-9, -8, -17, -16, -25, -24, -3, -2, -11, -10, -19, -18}).Run();
  Call("", "Sub", 14).Input(t, {3}, {1, 2, 3}).Input(t, {2, 1}, {10, 20})
      .Expect(t, {2, 3}, {-9, -8, -7, -19, -18, -17}).Run();
}

void TestWrongNodesAreRefused() {
  const DType u = DType::kUint32;
  Call("", "BitShift", 11).With("direction", std::string("UP")).Input(u, {}, {1}).Input(u, {}, {1})
      .Expect(u, {}, {0}).Refuse(StatusCode::kInvalidArgument);
  const DType t = DType::kFloat32;
  Call("", "Clip", 13).Input(t, {}, {1}).Input(t, {2}, {1, 2}).Expect(t, {}, {0})
      .Refuse(StatusCode::kInvalidArgument);
}

}  // namespace

int main() {
  TestIntegersNeverTrap();
  TestNanGoesThroughMaxAndMin();
  TestCastOfWhatDoesNotFitIsDefined();
  TestBroadcasting();
  TestWrongNodesAreRefused();
  return Verdict();
}
"""


def test_edges_are_defined(tmp_path: Path) -> None:
    """Overflow, division by zero, NaN, what does not fit, too many dimensions, wrong nodes."""
    write_kernels(tmp_path, [make_op(name) for name in _MANY_TYPES.split()])
    edges = _EDGES
    for name, count in (("kThirtyTwo", 32), ("kSixteen", 16)):
        edges = edges.replace(f"Numbers({name})", f"{{{', '.join(['1'] * count)}}}")
    (tmp_path / "tests/cpp/edges_test.cc").write_text(edges)
    assert " 0 failed" in _run(tmp_path, sanitizing(), _CHECKED, "edges_test.cc")


def test_stubs_compile_and_are_not_ready_and_ejected_ops_go_on_working(tmp_path: Path) -> None:
    yours = KernelSource.YOURS
    stubs = ["ImageDecoder", "SequenceMap", "StringNormalizer", "TfIdfVectorizer"]
    ops = [make_op(name, _TYPES, kernel=yours) for name in ("Relu", "Clip", "HardSigmoid", "Cast")]
    ops += [make_op(name) for name in stubs]
    ops += [make_op(name, domain="com.microsoft") for name in ("ComplexMul", "WordConvEmbedding")]
    ops += [make_op("Abs", _TYPES)]
    written = write_kernels(tmp_path, ops)
    assert "src/kernels/com_microsoft_complex_mul.cc" in written
    assert "src/kernels/relu.cc" in written
    assert "src/gen/kernels/relu.cc" not in written
    (tmp_path / "tests/cpp/ready_test.cc").write_text(
        """
        #include "kernel_harness.h"
        int main() {
          using namespace acme_npu;
          for (size_t i = 0; i < Kernels().count; ++i) {
            const KernelRow& row = Kernels().rows[i];
            const std::string op = row.op;
            const bool works = op == "Relu" || op == "Clip" || op == "HardSigmoid" ||
                               op == "Cast" || op == "Abs";
            CHECK_THAT(row.ready == works, op);
            CHECK_THAT((row.host_inputs == 6) == (op == "Clip"), op);
          }
          return test::Verdict();
        }
        """
    )
    assert " 0 failed" in _run(tmp_path, "g++", _PLAIN)
    assert " 0 failed" in _run(tmp_path, "g++", _PLAIN, "ready_test.cc")
