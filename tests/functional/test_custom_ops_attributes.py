"""Attributes of every kind reach the kernel of a custom operator, whoever calls it."""

from __future__ import annotations

from pathlib import Path

import pytest
from fresh import every_runtime, ok
from projects import Project, built, expanded
from runtimes import SUPPORTED

STEM = "src/kernels/com_contoso_digest"
HEAD = """\
epforge: 1
name: contoso-digest
vendor: Contoso
ort: {min: "1.25.0"}
ops: [Relu]
"""
COMPILES = "paradigm: compiled\nfeatures: {ep_context: {embed: true}}\n"
OP = """\
custom_ops:
  - op: com.contoso::Digest
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32]}
    attributes:
      whole: {type: int}
      real: {type: float, default: 0.5}
      text: {type: string, default: four}
      flag: {type: bool, default: true}
      wholes: {type: ints, default: [1, 2]}
      reals: {type: floats, default: [0.25]}
      texts: {type: strings, default: [a, bc]}
      value: {type: tensor}
"""
BODY = """\
Status InferShapes(const ComContosoDigestAttrs&, Inputs, Shapes& shapes) {
  shapes[0] = {8};
  return Status();
}

Status Compute(const ComContosoDigestAttrs& attrs, Inputs, Outputs outputs, Exec&) {
  // Of lists the elements count by their places, of texts their bytes.
  const auto bytes = [](const std::string& text) {
    float sum = 0;
    for (const char c : text) sum += static_cast<float>(static_cast<unsigned char>(c));
    return sum;
  };
  float* y = outputs[0].data<float>();
  for (int i = 0; i < 8; ++i) y[i] = 0;
  y[0] = static_cast<float>(attrs.whole);
  y[1] = attrs.real;
  y[2] = bytes(attrs.text);
  y[3] = attrs.flag ? 1.0f : 0.0f;
  float place = 1;
  for (const int64_t each : attrs.wholes) y[4] += static_cast<float>(each) * place++;
  place = 1;
  for (const float each : attrs.reals) y[5] += each * place++;
  place = 1;
  for (const std::string& each : attrs.texts) y[6] += bytes(each) * place++;
  const auto* values = reinterpret_cast<const float*>(attrs.value.bytes.data());
  place = 1;
  for (int64_t i = 0; i < ElementCount(attrs.value.shape); ++i) y[7] += values[i] * place++;
  return Status();
}

}  // namespace contoso_digest
"""


def digest(head: str) -> Project:
    """The project with the stub written: its kernel tells what it was given."""
    files = {file.path: file.content.decode() for file in expanded(head + OP).files}
    header, source = files[f"{STEM}.h"], files[f"{STEM}.cc"]
    changes = {
        f"{STEM}.h": header.replace("= false;", "= true;"),
        f"{STEM}.cc": source[: source.index("Status InferShapes")] + BODY,
    }
    return built(head + OP, changes=changes)


@pytest.fixture(scope="module")
def kernels() -> Project:
    return digest(HEAD)


@pytest.fixture(scope="module")
def compiling() -> Project:
    return digest(HEAD + COMPILES)


CODE = """
import own_ops, onnx
from onnx import numpy_helper

def tensor(*values):
    return numpy_helper.from_array(np.array(values, np.float32))

def text(of):
    return sum(of.encode())

def wanted(whole, value, real=0.5, text_=text("four"), flag=1, wholes=5, reals=0.25,
           texts=text("a") + 2 * text("bc")):
    return [np.array([whole, real, text_, flag, wholes, reals, texts, value], np.float32)]

LISTS = {
    "wholes": onnx.AttributeProto.INTS,
    "reals": onnx.AttributeProto.FLOATS,
    "texts": onnx.AttributeProto.STRINGS,
}

def make(**attributes):
    made = own_ops.call("Digest", ((3,), np.float32))
    for name, value in attributes.items():
        kind = LISTS.get(name) if value == [] else None
        found = onnx.helper.make_attribute(name, value, attr_type=kind)
        made.graph.node[0].attribute.append(found)
    return made

inputs = {"x0": np.zeros(3, np.float32)}
CALLS = [
    (make(whole=7, value=tensor(2, 3)), wanted(7, 8)),
    (
        make(
            whole=-9, value=tensor(), real=-1.5, text="gr\u00fc\u00df", flag=0, wholes=[3, -1, 4],
            reals=[0.5, 2.0], texts=["", "x", "\u00e9"],
        ),
        wanted(
            -9, 0, -1.5, text("gr\u00fc\u00df"), 0, 13, 4.5, 2 * text("x") + 3 * text("\u00e9")
        ),
    ),
    (make(whole=0, value=tensor(1), text="", wholes=[], reals=[], texts=[]),
     wanted(0, 1, text_=0, wholes=0, reals=0, texts=0)),
]
"""


@every_runtime
@pytest.mark.parametrize("name", ["kernels", "compiling"])
def test_values_of_every_kind(
    name: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """On the execution provider, on the CPU, and where the runtime asks for shapes."""
    if version == SUPPORTED[0]:
        pytest.skip("lists of texts are read since 1.25")
    ok(
        request.getfixturevalue(name),
        CODE
        + """
library = plugin.get_custom_ops_library_path()
for made, numbers in CALLS:
    on_device = own_ops.session(made, device)
    assert models.taken(on_device, ep) == ["Digest"]
    for one in (on_device, own_ops.session(made, library=library)):
        assert own_ops.shapes(one) == [[8]]
        models.close(one.run(None, inputs), numbers)
""",
        version,
    )


def test_compiled_models_keep_them(compiling: Project, tmp_path: Path) -> None:
    ok(
        compiling,
        CODE
        + """
for index, (made, numbers) in enumerate(CALLS):
    compiled = models.compiled(made, device)
    assert len(models.contexts(compiled)) == 1
    onnx.save(compiled, folder / f"{index}.onnx")
""",
        folder=tmp_path,
    )
    ok(
        compiling,
        CODE
        + """
for index, (made, numbers) in enumerate(CALLS):
    one = models.session(folder / f"{index}.onnx", device)
    assert models.taken(one, ep) == ["EPContext"]
    models.close(one.run(None, inputs), numbers)
""",
        folder=tmp_path,
    )


@pytest.mark.parametrize("name", ["kernels", "compiling"])
def test_what_is_missing_or_of_another_kind_is_named(
    name: str, request: pytest.FixtureRequest
) -> None:
    ok(
        request.getfixturevalue(name),
        CODE
        + """
library = plugin.get_custom_ops_library_path()
for made, says in (
    (make(whole=7), "the attribute value is missing"),
    (make(value=tensor(1)), "the attribute whole is missing"),
    (make(whole=7, value=tensor(1), real="no"), "'real' is of the wrong kind"),
    (make(whole=7, value=tensor(1), texts=[1, 2]), "'texts' is of the wrong kind"),
    (make(whole=7, value=tensor(1), wholes=[0.5]), "'wholes' is of the wrong kind"),
    (make(whole=7, value=tensor(1), reals=[1]), "'reals' is of the wrong kind"),
    (make(whole=7, value=1.5), "'value' is of the wrong kind"),
):
    for arguments in ({"device": device, "fallback": True}, {"library": library}):
        said = own_ops.fails(made, **arguments)
        assert "com.contoso::Digest node 'own'" in said and says in said, said
""",
    )
