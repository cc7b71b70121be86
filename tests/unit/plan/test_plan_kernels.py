"""Which files the kernels of a project are, and what their templates see."""

from __future__ import annotations

from kernel_project import make_blueprint, make_op

from epforge.ops.model import DType
from epforge.plan.kernel_samples import calls
from epforge.plan.kernel_table import table_view
from epforge.plan.kernels import files, kernel_view
from epforge.plan.model import Owner
from epforge.resolve.model import KernelSource


def test_a_family_kernel_is_generated_with_its_support() -> None:
    specs = {spec.path: spec for spec in files(make_blueprint([make_op("Relu")]))}
    assert specs["src/gen/kernels/relu.cc"].template == "kernels/unary.cc"
    assert specs["src/gen/kernels/relu.h"].owner is Owner.GENERATED
    assert "src/gen/kernels/support/elementwise.h" in specs
    assert "src/gen/kernels/support/broadcast.h" not in specs
    assert "src/gen/kernel_table.cc" in specs


def test_an_ejected_kernel_is_yours_and_ready() -> None:
    op = make_op("Relu", kernel=KernelSource.YOURS)
    specs = {spec.path: spec for spec in files(make_blueprint([op]))}
    assert specs["src/kernels/relu.cc"].template == "kernels/unary.cc"
    assert specs["src/kernels/relu.cc"].owner is Owner.YOURS
    assert "src/gen/kernels/relu.cc" not in specs
    assert "src/gen/kernels/support/elementwise.h" in specs
    assert kernel_view(op).ready
    assert kernel_view(op).header == "kernels/relu.h"


def test_an_op_without_a_family_is_a_stub_that_is_not_ready() -> None:
    op = make_op("TfIdfVectorizer")
    specs = {spec.path: spec for spec in files(make_blueprint([op]))}
    assert specs["src/kernels/tf_idf_vectorizer.cc"].template == "kernels/stub.cc"
    assert specs["src/kernels/tf_idf_vectorizer.cc"].owner is Owner.YOURS
    assert not kernel_view(op).ready
    row = table_view(make_blueprint([op])).rows[0]
    assert row.ready == "kReadyTfIdfVectorizer"


def test_attributes_have_the_schemas_defaults() -> None:
    views = map(kernel_view, map(make_op, ("StringNormalizer", "StringSplit", "TfIdfVectorizer")))
    members = {a.key: (a.cpp, a.default, a.has) for view in views for a in view.attributes}
    assert members["case_change_action"] == ("std::string", '"NONE"', None)
    assert members["maxsplit"] == ("int64_t", "0", "has_maxsplit")
    assert members["weights"] == ("std::vector<float>", "", None)
    assert members["stopwords"][0] == "std::vector<std::string>"
    assert [a.name for a in kernel_view(make_op("SequenceMap")).unread] == ["body"]
    assert kernel_view(make_op("LeakyRelu")).attributes[0].default == "0.01f"
    assert kernel_view(make_op("Cast")).attributes[0].required


def test_names_of_a_domain_do_not_clash() -> None:
    ours = kernel_view(make_op("Gelu", domain="com.microsoft"))
    assert (ours.op, ours.attrs) == ("ComMicrosoftGelu", "ComMicrosoftGeluAttrs")
    assert (ours.stem, ours.label) == ("com_microsoft_gelu", "com.microsoft::Gelu")
    assert kernel_view(make_op("Gelu")).attrs == "GeluAttrs"


def test_types_follow_the_project() -> None:
    view = kernel_view(make_op("Add", [DType.INT64, DType.FLOAT32]))
    assert [tuple(t) for t in view.t] == [("kFloat32", "float"), ("kInt64", "int64_t")]
    where = kernel_view(make_op("Where", [DType.FLOAT32, DType.INT32, DType.BOOL]))
    assert where.by_size == (("uint8_t", ("kBool",)), ("uint32_t", ("kFloat32", "kInt32")))


def test_a_row_says_which_inputs_must_be_there_and_which_are_on_the_host() -> None:
    names = ["Clip", "Concat", "Optional", "Add"]
    ops = [*(make_op(name) for name in names), make_op("QLinearAdd", domain="com.microsoft")]
    rows = {(row.op, row.since): row for row in table_view(make_blueprint(ops)).rows}
    assert (rows["Clip", 13].needed_inputs, rows["Clip", 13].host_inputs) == ("0x1", "0x6")
    assert rows["Add", 14].needed_inputs == "0x3"
    assert rows["Concat", 13].needed_inputs == "0x1"
    assert rows["Optional", 28].needed_inputs == "0"
    # A, A_scale, [A_zero_point], B, B_scale, [B_zero_point], C_scale, [C_zero_point]
    assert rows["QLinearAdd", 1].needed_inputs == hex(0b01011011)


def test_the_registry_is_not_given_constraints_that_older_runtimes_lack() -> None:
    # Runtime 1.24 has T for the caches of GroupQueryAttention and refuses other names.
    op = make_op("GroupQueryAttention", [DType.FLOAT32, DType.INT32], domain="com.microsoft")
    table = table_view(make_blueprint([op]))
    assert [rule.constraint for rule in table.rules[0].rules] == ["M", "T"]


def test_rows_are_sorted_and_share_their_rules() -> None:
    table = table_view(make_blueprint([make_op("Sub"), make_op("Add")]))
    keys = [(row.domain, row.op, row.since) for row in table.rows]
    assert keys == sorted(keys)
    assert len({row.rules for row in table.rows if row.op == "Add"}) == 2  # 14 has more types
    named = {entry.name for entry in table.types}
    assert {rule.types for entry in table.rules for rule in entry.rules} <= named


def test_samples_are_called_with_the_types_that_hold_them() -> None:
    found = calls(make_blueprint([make_op("Abs", [DType.FLOAT32, DType.UINT8])]))[0]
    loops = [[loop.types for loop in call.loops] for call in found.calls]
    # -2 fits no uint8, so its type is the one that is left and needs no loop.
    assert loops == [
        [],
        [("kFloat32", "kUint8")],
        [("kFloat32", "kUint8")],
        [("kFloat32", "kUint8")],
    ]
    assert found.calls[0].inputs[0] is not None
    assert found.calls[0].inputs[0].type == "DType::kFloat32"


def test_samples_have_no_small_types_not_even_where_there_are_no_elements() -> None:
    op = make_op("Cast", [DType.FLOAT32, DType.FLOAT8E4M3FN, DType.INT4])
    (found,) = calls(make_blueprint([op]))
    loops = {name for call in found.calls for loop in call.loops for name in loop.types}
    assert not loops & {"kFloat8e4m3fn", "kInt4"}


def test_a_stub_has_no_samples() -> None:
    assert calls(make_blueprint([make_op("TfIdfVectorizer")])) == ()
