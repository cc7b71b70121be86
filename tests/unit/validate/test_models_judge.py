"""Each thing that can be wrong with a custom op has a reason of its own."""

from __future__ import annotations

from typing import Any

import pytest
from custom_offers import (
    DOMAIN,
    EP,
    LIBRARY,
    PLUGIN,
    findings,
    library,
    manifest,
    model,
    op,
    plugin,
    the_finding,
)

from epforge.errors import UsageError
from epforge.validate.models import Offer, Severity, judge, offer, project_offers
from epforge.validate.static import Kind
from epforge.validate.worker.model import Reader

RIGHT = "y = com.contoso.MyClip(x)"


def could(*ops: Any, **changes: Any) -> tuple[Offer, ...]:
    """What a project offers that is not registered."""
    return project_offers(manifest(*ops, **changes), "manifest")


# Field report 72


def field_report_72() -> dict[str, tuple[Any, tuple[Offer, ...], str]]:
    """The cases: the model, what is given, what is said; empty: all is right."""
    other = model(RIGHT.replace(DOMAIN, "com.fabrikam"))
    other.opset_import.add(domain="com.fabrikam", version=1)
    return {
        "right": (model(RIGHT), (library(),), ""),
        "other domain": (
            other,
            (library(),),
            "nobody offers com.fabrikam::MyClip; it is com.contoso::MyClip that is offered",
        ),
        "empty domain": (
            model("y = MyClip(x)"),
            (library(),),
            "MyClip has no domain, and ONNX 17 has no MyClip; com.contoso::MyClip is meant",
        ),
        "version 2 of 1": (
            model(RIGHT, 2),
            (library(),),
            f"the model imports version 2 of com.contoso, {LIBRARY} has ops up to version 1",
        ),
        "not registered": (
            model(RIGHT),
            could(),
            f"com.contoso::MyClip is an op of {LIBRARY}, and it was not given",
        ),
    }


@pytest.mark.parametrize("case", field_report_72())
def test_fr_72_each_case_has_its_reason(case: str) -> None:
    made, offers, says = field_report_72()[case]
    if not says:
        assert findings(made, *offers) == ()
    else:
        assert the_finding(made, *offers).message.startswith(says)


def test_fr_72_the_reasons_are_all_different() -> None:
    cases = [(made, offers) for made, offers, says in field_report_72().values() if says]
    found = [the_finding(made, *offers) for made, offers in cases]
    assert len({each.message for each in found}) == len(cases)
    assert len({each.code for each in found}) == 3  # two kinds of wrong domain
    assert [each.severity for each in found].count(Severity.WARNING) == 1  # ORT loads version 2


# Domains and libraries


def test_the_cure_of_a_wrong_domain_names_the_right_one() -> None:
    found = the_finding(model("y = MyClip(x)"), library(op(version=3)))
    assert found.code == "wrong-domain"
    assert "com.contoso::MyClip" in found.hint
    assert "version 3" in found.hint


def test_a_domain_that_is_not_imported() -> None:
    alone = the_finding(model(RIGHT, None))
    assert (alone.code, alone.severity) == ("domain-not-imported", Severity.ERROR)
    found = the_finding(model(RIGHT, None), library(op(version=3)))
    # ONNX Runtime imports what is registered.
    assert (found.code, found.severity) == ("domain-not-imported", Severity.WARNING)
    assert 'make_opsetid("com.contoso", 3)' in found.hint


def test_a_function_s_domain_has_to_be_imported_too() -> None:
    function = '<domain: "com.own", opset_import: ["": 17]> F (a) => (b) { b = Relu(a) }'
    made = model("y = com.own.F(x)", None, function)
    assert the_finding(made).code == "domain-not-imported"
    made.opset_import.add(domain="com.own", version=1)
    assert findings(made) == ()


def test_a_function_has_imports_of_its_own() -> None:
    function = (
        '<domain: "com.own", opset_import: ["": 17]> F (a) => (b) { b = com.contoso.MyClip(a) }'
    )
    made = model("y = com.own.F(x)", 1, function)
    made.opset_import.add(domain="com.own", version=1)
    found = the_finding(made, library())
    assert (found.code, found.severity) == ("domain-not-imported", Severity.ERROR)
    assert "a function with it does not import" in found.message
    made.functions[0].opset_import.add(domain="com.contoso", version=1)
    assert findings(made, library()) == ()


def test_onnx_s_own_domain_need_not_be_imported() -> None:
    made = model("z = Gelu(x) y = com.contoso.MyClip(z)")
    del made.opset_import[0]
    assert findings(made, library()) == ()
    made.graph.node[0].op_type = "MyClip"
    assert the_finding(made, library()).code == "wrong-domain"


def test_an_op_that_nobody_knows() -> None:
    found = the_finding(model("y = com.contoso.Other(x)"))
    assert found.code == "unknown-op"
    assert found.message == "no library that was given offers com.contoso::Other"
    assert "--library" in found.hint


def test_an_op_that_the_domain_s_library_lacks() -> None:
    found = the_finding(model("y = com.contoso.MyClop(x)"), library(op(), op("MyGate")))
    assert found.code == "unknown-op"
    assert f"{LIBRARY} has the domain, with MyClip and MyGate" in found.message
    assert "Is com.contoso::MyClip meant?" in found.hint


def test_an_op_without_domain_that_nobody_knows() -> None:
    found = the_finding(model("y = MyOther(x)"), library())
    assert found.code == "unknown-op"
    assert found.message.startswith("MyOther has no domain, and neither ONNX nor")


def test_an_op_of_a_newer_onnx_is_no_custom_op() -> None:
    found = the_finding(model("y = Gelu(x)"), library())
    assert found.code == "version-too-old"
    assert "version 20 on, the model imports 17" in found.message


def test_what_onnxruntime_adds_to_onnx_s_domain_is_fine() -> None:
    assert findings(model("y = LayerNormalization(x, x)", opset=13)) == ()


def test_an_onnx_too_new_to_know_is_not_judged() -> None:
    assert findings(model("y = Unheard(x)", opset=999)) == ()


def test_a_library_that_is_not_registered_is_named_with_its_call() -> None:
    found = the_finding(model(RIGHT), *could())
    assert found.code == "missing-library"
    assert f"Register {LIBRARY} with SessionOptions.register_custom_ops_library" in found.hint
    assert f"or register {PLUGIN} with onnxruntime.register_execution_provider_" in found.hint


def test_an_op_of_a_plugin_alone_needs_the_plugin() -> None:
    found = the_finding(model(RIGHT), *could(custom_op_library=None))
    assert found.code == "missing-ep"
    assert EP in found.message
    assert f"Register {PLUGIN} with onnxruntime.register_execution_provider_" in found.hint
    assert "register_custom_ops_library" not in found.hint


def test_a_project_adds_nothing_to_what_is_registered() -> None:
    assert findings(model(RIGHT), plugin(), *could()) == ()


def test_a_library_without_manifest_may_offer_anything() -> None:
    unknown = Offer("libother.so", Kind.CUSTOM_OPS, known=False)
    found = the_finding(model("y = com.contoso.Other(x)"), unknown)
    assert found.severity is Severity.WARNING
    assert "what libother.so offers cannot be told" in found.message


# Versions


def test_a_version_older_than_the_op() -> None:
    found = the_finding(model(RIGHT, 2), library(op(version=3)))
    assert found.code == "version-too-old"
    assert found.severity is Severity.ERROR
    assert "there from version 3 of its domain on, the model imports version 2" in found.message


def test_the_newest_version_that_the_import_allows_counts() -> None:
    ops = (op(version=1, types={"T": ["int32"]}), op(version=3))
    assert the_finding(model(RIGHT, 2), library(*ops)).code == "unsupported-type"
    assert findings(model(RIGHT, 3), library(*ops)) == ()


def test_a_newer_version_is_told_once_for_the_domain() -> None:
    made = model("z = com.contoso.MyClip(x) y = com.contoso.MyGate(z)", 2)
    found = the_finding(made, library(op(), op("MyGate")))
    assert (found.code, found.op, found.count) == ("version-newer", "", 2)
    assert "ONNX Runtime loads it" in found.message


def test_a_version_that_onnxruntime_refuses() -> None:
    found = findings(model(RIGHT, 1001), library())
    assert [each.code for each in found] == ["version-too-new"]
    assert findings(model(RIGHT, 1000), library())[0].severity is Severity.WARNING


# Libraries that share a domain


@pytest.mark.parametrize(
    ("offers", "severity", "says"),
    [
        ((library(), plugin()), Severity.WARNING, "keeps the first and warns"),
        ((plugin(), library()), Severity.ERROR, "makes no session"),
        ((library(), library()), Severity.ERROR, "is registered twice"),
        ((library(), library(file="libb.so")), Severity.ERROR, "makes no session"),
    ],
)
def test_a_domain_that_two_libraries_have(
    offers: tuple[Offer, ...], severity: Severity, says: str
) -> None:
    found = the_finding(model("y = Relu(x)"), *offers)  # whatever the model
    assert (found.code, found.severity) == ("domain-twice", severity)
    assert says in found.message
    if Kind.PLUGIN_EP in {each.kind for each in offers}:
        assert found.hint == f"Register {PLUGIN} alone."


def test_the_same_offer_twice_is_a_library_registered_twice() -> None:
    once = library()
    assert the_finding(model(RIGHT), once, once).code == "domain-twice"
    assert findings(model(RIGHT), plugin(), plugin()) == ()


def test_two_plugins_with_the_same_ops_are_fine() -> None:
    assert findings(model(RIGHT), plugin(), plugin(file="libb.so", ep="BEp")) == ()


def test_what_the_second_of_two_plugins_adds_is_lost() -> None:
    second = plugin(op("MyGate"), file="libb.so", ep="BEp")
    unused = the_finding(model(RIGHT), plugin(), second)
    assert (unused.code, unused.severity) == ("lost-op", Severity.WARNING)
    assert "MyGate of libb.so is lost" in unused.message
    used = findings(model("y = com.contoso.MyGate(x)"), plugin(), second)
    assert [each.severity for each in used] == [Severity.ERROR, Severity.WARNING]
    assert used[0].code == "lost-op"
    assert "com.contoso::MyGate of libb.so is lost" in used[0].message
    assert "kernel: elsewhere" in used[0].hint


def test_plugins_that_declare_each_other_s_ops_share_a_domain() -> None:
    first = plugin(op(), op("MyGate", kernel="elsewhere"))
    second = plugin(op(kernel="elsewhere"), op("MyGate"), file="libb.so", ep="BEp")
    made = model("z = com.contoso.MyClip(x) y = com.contoso.MyGate(z)")
    facts = Reader(made).facts()
    for offers in ((first, second), (second, first)):
        diagnosis = judge(facts, offers)
        assert diagnosis.findings == ()
        assert {"libb.so", PLUGIN} <= set(diagnosis.domains[0].by.replace("(", " ").split())


def test_an_op_that_is_computed_elsewhere_needs_that_ep() -> None:
    first = plugin(op("MyGate"), op(kernel="elsewhere"), file="liba.so", ep="AEp")
    alone = the_finding(model(RIGHT), first)
    assert alone.code == "missing-ep"
    assert "known to liba.so, which leaves computing it to another library" in alone.message
    known = the_finding(model(RIGHT), first, *could())
    assert EP in known.message
    assert PLUGIN in known.hint
    assert findings(model(RIGHT), first, plugin(op(), op("MyGate", kernel="elsewhere"))) == ()


# Compiled nodes


def compiled(source: str = EP) -> Any:
    body = f'y = com.microsoft.EPContext <source = "{source}", embed_mode = 1> (x)'
    made = model(body, None)
    made.opset_import.add(domain="com.microsoft", version=1)
    if not source:
        del made.graph.node[0].attribute[0]
    return made


def test_a_compiled_node_needs_the_ep_that_compiled_it() -> None:
    assert findings(compiled(), plugin()) == ()
    bare = the_finding(compiled())
    assert (bare.code, bare.severity) == ("missing-ep", Severity.ERROR)
    assert EP in bare.message
    assert PLUGIN in the_finding(compiled(), *could()).hint
    assert "given are BEp" in the_finding(compiled(), plugin(file="b.so", ep="BEp")).message
    assert the_finding(compiled(""), plugin()).severity is Severity.WARNING


# Where nodes are


def test_equal_findings_are_one_with_a_count() -> None:
    made = model("z = com.contoso.MyClip(i) y = com.contoso.MyClip(i)")
    made.graph.node[0].name = "first"
    found = the_finding(made, library())
    assert (found.count, found.nodes) == (2, ("first", "unnamed, makes y"))
    assert found.line.endswith("(2 nodes, first: first)")


def test_nodes_of_subgraphs_see_the_values_around_them() -> None:
    body = """y = If(c) <then_branch = t () => (a) { a = com.contoso.MyClip(i) },
                         else_branch = e () => (b) { b = com.contoso.MyClip(i) }>"""
    found = the_finding(model(body), library())
    assert (found.code, found.count) == ("unsupported-type", 2)


def test_functions_are_looked_into_when_they_are_called() -> None:
    inside = '<domain: "com.own", opset_import: ["": 17, "com.contoso": 1]>'
    functions = f"""{inside} F (a) => (b) {{ b = com.own2.G(a) }}
                    {inside.replace("own", "own2")} G (a) => (b) {{ b = com.contoso.Other(a) }}"""
    made = model("y = com.own.F(x)", None, functions)
    made.functions[0].opset_import.add(domain="com.own2", version=1)
    for domain in ("com.own", "com.own2"):
        made.opset_import.add(domain=domain, version=1)
    found = the_finding(made, library())
    assert (found.code, found.op) == ("unknown-op", "Other")
    made.graph.node[0].op_type, made.graph.node[0].domain = "Relu", ""
    assert findings(made, library()) == ()  # nobody calls it any more


def test_functions_that_call_each_other() -> None:
    inside = '<domain: "com.own", opset_import: ["": 17, "com.own": 1]>'
    functions = f"""{inside} F (a) => (b) {{ b = com.own.G(a) }}
                    {inside} G (a) => (b) {{ b = com.own.F(a) }}"""
    made = model("y = com.own.F(x)", None, functions)
    made.opset_import.add(domain="com.own", version=1)
    diagnosis = judge(Reader(made).facts(), ())
    assert [each.code for each in diagnosis.findings] == ["recursive-function"]
    assert "com.own::F -> com.own::G -> com.own::F" in diagnosis.findings[0].message


def test_functions_that_share_a_function_are_no_circle() -> None:
    inside = '<domain: "com.own", opset_import: ["": 17, "com.own": 1]>'
    functions = f"""{inside} F (a) => (b) {{ c = com.own.H(a) d = com.own.G(c) b = com.own.H(d) }}
                    {inside} G (a) => (b) {{ b = com.own.H(a) }}
                    {inside} H (a) => (b) {{ b = Relu(a) }}"""
    made = model("y = com.own.F(x)", None, functions)
    made.opset_import.add(domain="com.own", version=1)
    assert findings(made) == ()


def test_a_domain_says_what_takes_care_of_it() -> None:
    domain = judge(Reader(model(RIGHT, 1)).facts(), (plugin(),)).domains[0]
    assert (domain.domain, domain.version, domain.nodes, domain.fine) == (DOMAIN, 1, 1, True)
    assert domain.by == f"{PLUGIN} (plugin EP {EP})"


@pytest.mark.parametrize(
    ("ops", "says"),
    [
        ([1], "malformed"),
        ([{"domain": "com.contoso"}], "lacks the key 'op'"),
        ([op(types=[])], "malformed"),
        ([op(version="x")], "malformed"),
    ],
)
def test_a_manifest_that_is_damaged_is_named(ops: list[Any], says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        offer(manifest(custom_ops=ops), Kind.CUSTOM_OPS, LIBRARY, "a.so.manifest.json", given=True)
    assert caught.value.message.startswith("a.so.manifest.json: ")
