"""Broken blueprints: the text, and every error it has as (line, column, code)."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\n"  # what follows starts on line 4

Place = tuple[int, int, str]


@dataclass(frozen=True)
class Case:
    """A broken blueprint. ``errors`` are all of them, in the order of the text."""

    id: str
    text: str | bytes
    errors: tuple[Place, ...]

    @property
    def data(self) -> bytes:
        return self.text if isinstance(self.text, bytes) else self.text.encode()


def whole(id: str, text: str | bytes, *errors: Place) -> Case:
    return Case(id, text, errors)


def body(id: str, text: str, *errors: Place) -> Case:
    return Case(id, HEAD + text, errors)


def named(id: str, name: str, *codes: str) -> Case:
    """A blueprint whose name, as YAML, is wrong."""
    text = f"epforge: 1\nname: {name}\nvendor: Contoso\nops: [Relu]\n"
    return Case(f"name-{id}", text, tuple((2, 7, code) for code in codes or ("bad-name",)))


YAML_TRAPS = (
    whole("empty", "", (1, 1, "empty")),
    whole("white", " \n\n \n", (1, 1, "empty")),
    whole("only-comment", "# nothing\n", (1, 1, "not-a-mapping")),
    whole("null", "~\n", (1, 1, "not-a-mapping")),
    whole("list", "- epforge: 1\n", (1, 1, "not-a-mapping")),
    whole("word", "epforge\n", (1, 1, "not-a-mapping")),
    whole("nul", HEAD.encode() + b"ops: [Re\x00lu]\n", (4, 9, "control-character")),
    whole("escape", HEAD + "ops: [Re\x1b[31mlu]\n", (4, 9, "control-character")),
    whole("latin-1", "epforge: 1\nname: café\n".encode("latin-1"), (2, 10, "encoding")),
    whole("utf-16", HEAD.encode("utf-16"), (1, 1, "encoding")),
    whole("utf-32", HEAD.encode("utf-32"), (1, 1, "encoding")),
    body("tab", "memory:\n\tdefault: plain\n", (5, 1, "yaml-syntax")),
    body("colon", "license: a: b\n", (4, 10, "yaml-syntax")),
    body("open-list", "ops: [Relu, Add\n", (4, 6, "yaml-syntax")),
    body("open-map", "memory: {default: plain\n", (4, 9, "yaml-syntax")),
    body("open-quote", 'license: "MIT\n', (4, 10, "yaml-syntax")),
    body("bad-indent", "memory:\n  default: plain\n streams: true\n", (6, 2, "yaml-syntax")),
    body("percent", "license: %MIT\n", (4, 10, "yaml-syntax")),
    body("backtick", "license: `MIT`\n", (4, 10, "yaml-syntax")),
    body("star", "license: *MIT\n", (4, 10, "unknown-alias")),
    body("bad-escape", 'license: "\\q"\n', (4, 10, "yaml-syntax")),
    body("huge-escape", 'license: "\\UFFFFFFFF"\n', (4, 10, "yaml-syntax")),
    body("duplicate", "name: other\n", (4, 1, "duplicate-key")),
    body(
        "duplicate-inside",
        "memory: {default: none, read_only: none, default: none}\n",
        (4, 42, "duplicate-key"),
    ),
    body(
        "merge",
        "x: &x {default: none}\nmemory: {<<: *x}\n",
        (4, 1, "unknown-key"),
        (5, 10, "merge-key"),
    ),
    # What follows the colon is no value of its own: with a blank it would begin a block.
    body("glued", "memory: {default:>none}\n", (4, 10, "unknown-key")),
    body("list-key", "[a]: 1\n", (4, 1, "bad-key")),
    body("map-key", "{{ x }}: 1\n", (4, 1, "bad-key")),
    body("tag", "license: !spdx MIT\n", (4, 10, "tag")),
    body(
        "python-tag",
        "license: !!python/object/apply:os.system [ls]\n",
        (4, 10, "tag"),
        (4, 10, "wrong-kind"),
    ),
    body("binary-tag", "license: !!binary TUlU\n", (4, 10, "tag")),
    body("map-tag", "memory: !!set {}\n", (4, 9, "tag")),
    whole("yaml-1.1", "%YAML 1.1\n---\n" + HEAD, (1, 1, "directive")),
    whole("tag-directive", "%TAG ! tag:x,2000:\n---\n" + HEAD, (1, 1, "directive")),
    whole("documents", HEAD + "---\n" + HEAD, (4, 1, "many-documents")),
    whole("crlf", HEAD.replace("\n", "\r\n") + "opz: [Relu]\r\n", (4, 1, "unknown-key")),
    whole("bom", b"\xef\xbb\xbf" + HEAD.encode() + b"opz: [Relu]\n", (4, 1, "unknown-key")),
    whole("bom-line-1", b"\xef\xbb\xbfepforge: 2\n", (1, 10, "edition")),
    body("inner-bom", "license: M\ufeffIT\n", (4, 11, "control-character")),
)

BOMBS = (
    whole("10-mb-of-anchors", b"a: &a [x]\n" * 1_000_000, (1, 1, "too-large")),
    body(
        "laughs",
        "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9)),
        (8, 10, "too-many-nodes"),
    ),
    body("many-aliases", "a: &a x\nb: [" + "*a, " * 300 + "]\n", (5, 805, "too-many-aliases")),
    body("alias-cycle", "ops: &a [Relu, *a]\n", (4, 16, "alias-cycle")),
    body("alias-cycle-map", "memory: &m {default: *m}\n", (4, 22, "alias-cycle")),
    body("deep", "ops: " + "[" * 5000 + "]" * 5000 + "\n", (4, 37, "too-deep")),
    body("deep-maps", "memory: " + "{a: " * 400 + "\n", (4, 133, "too-deep")),
    body("deep-unclosed", "ops: " + "[" * 100_000 + "\n", (4, 37, "too-deep")),
    body(
        "deep-aliases",
        "a0: &a0 [[[[[[[[[[x]]]]]]]]]]\n"
        "a1: &a1 [[[[[[[[[[*a0]]]]]]]]]]\n"
        "a2: &a2 [[[[[[[[[[*a1]]]]]]]]]]\n"
        "a3: &a3 [[[[[[[[[[*a2]]]]]]]]]]\n",
        (7, 19, "too-deep"),
    ),
    body("many-nodes", "ops: [" + "Relu, " * 30_000 + "]\n", (4, 119_953, "too-many-nodes")),
)

NAMES = (
    named("space", "a b"),
    named("keyword", "class"),
    named("keyword-case", "Class"),
    named("alternative-token", "and_eq"),
    named("shell", "'x\"; rm -rf ~ #'"),
    named("traversal", "../../evil"),
    named("absolute", "/etc/passwd"),
    named("windows-path", "C:\\evil"),
    named("erb", "'<%= 1 %>'"),
    named("jinja-quoted", "'{{ x }}'"),
    whole("jinja", "epforge: 1\nname: {{ x }}\n", (2, 7, "placeholder")),
    named("newline", '"contoso\\nnpu"'),
    named("block", "|\n  contoso-npu\n"),
    named("empty-text", "''"),
    whole("nothing", "epforge: 1\nname:\nvendor: a\n", (2, 1, "wrong-kind")),
    named("digit", "3d-npu"),
    named("dashes", "contoso--npu"),
    named("leading-underscore", "_npu"),
    named("non-ascii", "contosö"),
    named("lookalike", "соntoso"),  # Cyrillic letters
    named("emoji", "'\U0001f600'"),
    named("zero-width", '"con\\u200btoso"'),
    named("macro", "ERROR"),
    named("macro-lower", "min"),
    named("macro-linux", "linux"),
    named("windows-device", "nul"),
    named("windows-port", "COM1"),
    named("std", "std"),
    named("onnx", "onnx"),
    named("onnxruntime", "onnxruntime"),
    named("c-function", "printf"),
    named("c-function-2", "signal"),
    named("built-in", "cpu"),
    named("built-in-case", "Qnn"),
    named("too-long", "a" * 49),
    named("list", "[a]", "wrong-kind"),
    named("map", "{a: b}", "wrong-kind"),
)

KEYS = (
    whole("no-edition", "name: a1\nvendor: b\n", (1, 1, "missing-key")),
    whole("edition-2", "epforge: 2\nname: [1]\nfoo: 1\n", (1, 10, "edition")),
    whole("edition-0", "epforge: 0\n", (1, 10, "edition")),
    whole("edition-text", 'epforge: "1"\nname: a1\nvendor: b\n', (1, 10, "wrong-type")),
    whole("edition-float", "epforge: 1.0\nname: a1\nvendor: b\n", (1, 10, "wrong-type")),
    whole("edition-typo", "epforg: 1\nname: a1\nvendor: b\n", (1, 1, "unknown-key")),
    whole("no-name", "epforge: 1\nvendor: b\n", (1, 1, "missing-key")),
    whole("nothing-but-edition", "{epforge: 1}\n", (1, 1, "missing-key"), (1, 1, "missing-key")),
    body("unknown", "colour: red\n", (4, 1, "unknown-key")),
    body("typo", "optoins: []\n", (4, 1, "unknown-key")),
    body("unknown-inside", "ort:\n  minimum: 1.24.4\n", (5, 3, "unknown-key")),
    body("unknown-in-op", "ops:\n  - {op: Add, since: -1}\n", (5, 15, "unknown-key")),
    body("prototype", "__proto__: 1\n", (4, 1, "unknown-key")),
    body("dunder", "model_config: {}\n", (4, 1, "unknown-key")),
    body("ops-text", "ops: Relu\n", (4, 6, "wrong-kind")),
    body("ops-nothing", "ops:\n", (4, 1, "wrong-kind")),
    body("ops-map", "ops: {Relu: yours}\n", (4, 6, "wrong-kind")),
    body("op-nothing", "ops: [Relu, , Add]\n", (4, 13, "yaml-syntax")),
    body("op-dash", "ops:\n  - Relu\n  -\n", (6, 3, "wrong-kind")),
    body("op-list", "ops: [[Relu]]\n", (4, 7, "wrong-kind")),
    body("op-no-op", "ops:\n  - {models: '13'}\n", (5, 5, "missing-key")),
    body("memory-text", "memory: plain\n", (4, 9, "memory-of-cpu"), (4, 9, "wrong-kind")),
    body("memory-of-cpu", "memory: {default: plain}\n", (4, 19, "memory-of-cpu")),
    body(
        "memory-beside-none",
        "memory: {host_accessible: plain, read_only: arena}\n",
        (4, 27, "no-effect"),
        (4, 45, "no-effect"),
    ),
    body("stub-without-memory", "runtime: stub\n", (4, 10, "no-effect")),
    body(
        "memory-of-one-cpu",
        "devices: [{name: a, type: npu}, {name: b, type: cpu}]\nmemory: {default: plain}\n",
        (5, 19, "memory-of-cpu"),
    ),
    body("paradigm", "paradigm: turtles\n", (4, 11, "unknown-value")),
    body("runtime", "runtime: Host\n", (4, 10, "unknown-value")),
    body("layout", "layout: nhwc\n", (4, 9, "unknown-value")),
    body("bool-yes", "features: {profiler: yes}\n", (4, 22, "wrong-type")),
    body("bool-on", "features: {profiler: on}\n", (4, 22, "wrong-type")),
    body("bool-1", "features: {profiler: 1}\n", (4, 22, "wrong-type")),
    body("bool-quoted", 'features: {profiler: "true"}\n', (4, 22, "wrong-type")),
    body("int-octal", "compile: {max_group: 0755}\nparadigm: compiled\n", (4, 22, "wrong-type")),
    body(
        "int-sexagesimal",
        "compile: {max_group: 12:30}\nparadigm: compiled\n",
        (4, 22, "wrong-type"),
    ),
    body(
        "int-underscore", "compile: {max_group: 1_000}\nparadigm: compiled\n", (4, 22, "wrong-type")
    ),
    body("int-quoted", 'compile: {max_group: "1"}\nparadigm: compiled\n', (4, 22, "wrong-type")),
    body("int-negative", "compile: {max_group: -1}\nparadigm: compiled\n", (4, 22, "out-of-range")),
    body(
        "int-huge",
        f"compile: {{max_group: {'9' * 39}}}\nparadigm: compiled\n",
        (4, 22, "out-of-range"),
    ),
    body(
        "int-endless",
        f"compile: {{max_group: {'9' * 9999}}}\nparadigm: compiled\n",
        (4, 22, "wrong-type"),
    ),
    body("dtype", "types: [float]\n", (4, 9, "unknown-value")),
    body("types-empty", "types: []\n", (4, 8, "empty-list")),
    body("types-twice", "types: [float32, float32]\nops: [Relu]\n", (4, 18, "listed-twice")),
    body("target", "targets: [linux-x86]\n", (4, 11, "unknown-value")),
    body("targets-empty", "targets: []\n", (4, 10, "empty-list")),
    body("targets-twice", "targets: [linux-x64, linux-x64]\n", (4, 22, "listed-twice")),
)

PROJECT = (
    body("version-two", "version: 1.30\n", (4, 10, "bad-version")),
    body("version-v", "version: v1.0.0\n", (4, 10, "bad-version")),
    body("version-x", "version: x\n", (4, 10, "bad-version")),
    body("version-pre", "version: 1.0.0-nightly\n", (4, 10, "bad-version")),
    body("license", "license: Apache 2.0\n", (4, 10, "bad-license")),
    body("license-shell", "license: '$(id)'\n", (4, 10, "bad-license")),
    whole("vendor-empty", "epforge: 1\nname: a1\nvendor: ''\n", (3, 9, "bad-vendor")),
    whole("vendor-newline", 'epforge: 1\nname: a1\nvendor: "a\\nb"\n', (3, 9, "bad-vendor")),
    whole("vendor-no-name", "epforge: 1\nname: a1\nvendor: {pci_id: 1}\n", (3, 1, "missing-key")),
    whole(
        "vendor-pci",
        "epforge: 1\nname: a1\nvendor: {name: b, pci_id: 0x1B357}\n",
        (3, 27, "out-of-range"),
    ),
    body("ep-built-in", "names: {ep: CPUExecutionProvider}\n", (4, 13, "bad-name")),
    body("ep-built-in-case", "names: {ep: cudaexecutionprovider}\n", (4, 13, "bad-name")),
    body("ep-dash", "names: {ep: Contoso-EP}\n", (4, 13, "bad-name")),
    body("library-slash", "names: {library: a/b}\n", (4, 18, "bad-name")),
    body("library-ort", "names: {library: onnxruntime}\n", (4, 18, "bad-name")),
    body("distribution", "names: {distribution: '-x'}\n", (4, 23, "bad-name")),
    body("distribution-ort", "names: {distribution: ONNX_Runtime}\n"),
    body("distribution-gpu", "names: {distribution: onnxruntime-gpu}\n", (4, 23, "bad-name")),
    body("distribution-json", "names: {distribution: json}\n", (4, 23, "bad-name")),
    body("min-1.9", "ort: {min: 1.9}\n", (4, 12, "bad-ort")),
    body("min-1.24", "ort: {min: 1.24}\n", (4, 12, "bad-ort")),
    body("min-text", "ort: {min: latest}\n", (4, 12, "bad-ort")),
    body("min-target", "ort: {min: 1.27.0, target: 1.26}\n", (4, 12, "bad-ort")),
    body("min-default-target", "ort: {target: 1.23}\n", (4, 15, "bad-ort")),
    body("target-1.99", "ort: {target: 1.99}\n", (4, 15, "bad-ort")),
    body("target-patch", "ort: {target: 1.27.1}\n", (4, 15, "bad-ort")),
    body("python-3.1", "python: {min: 3.1}\n", (4, 15, "bad-python")),
    body("python-3.10", "python: {min: 3.10}\n", (4, 15, "bad-python")),
    body("distributions", "python: {distributions: []}\n", (4, 25, "empty-list")),
    body("suffix", "python: {distributions: [{suffix: ' x'}]}\n", (4, 35, "bad-name")),
)

_DEVICE = "devices:\n  - {name: npu, type: npu%s}\n"

DEVICES = (
    body("devices-empty", "devices: []\n", (4, 10, "empty-list")),
    body("device-type", "devices:\n  - {name: npu, type: tpu}\n", (5, 23, "unknown-value")),
    body(
        "device-no-type", "devices:\n  - {name: a b}\n", (5, 5, "missing-key"), (5, 12, "bad-name")
    ),
    body("device-keyword", "devices:\n  - {name: class, type: npu}\n", (5, 12, "bad-name")),
    body(
        "device-collision",
        "devices:\n  - {name: my-npu, type: npu}\n  - {name: my_npu, type: npu}\n",
        (6, 12, "name-collision"),
    ),
    body("virtual", _DEVICE % ", virtual: always", (5, 37, "unknown-value")),
    body("ids-no-vendor", _DEVICE % ", match: {device_ids: [1]}", (5, 48, "missing-key")),
    body(
        "id-range", _DEVICE % ", match: {vendor_id: 1, device_ids: [-1]}", (5, 63, "out-of-range")
    ),
    body("meta-version", _DEVICE % ", metadata: {version: 1.0.0}", (5, 39, "reserved-metadata")),
    body("meta-virtual", _DEVICE % ", metadata: {is_virtual: 1}", (5, 39, "reserved-metadata")),
    body(
        "meta-layout",
        _DEVICE % ", metadata: {gqa_preferred_value_layout: BNHS}",
        (5, 39, "layout-claim"),
    ),
    body("meta-driver", _DEVICE % ", metadata: {os_driver_version: 1.0}", (5, 58, "bad-value")),
    body("meta-key", _DEVICE % ", metadata: {'a b': 1}", (5, 39, "bad-name")),
)


def _option(id: str, text: str, *errors: Place) -> Case:
    return body(f"option-{id}", f"options:\n  - {{name: effort, {text}}}\n", *errors)


OPTIONS = (
    _option("no-type", "doc: x", (5, 5, "missing-key")),
    _option("type", "type: integer", (5, 26, "unknown-value")),
    _option("range-one", "type: int, range: [0]", (5, 38, "bad-range")),
    _option("range-turned", "type: int, range: [3, 0]", (5, 38, "bad-range")),
    _option("range-text", "type: int, range: [a, 3]", (5, 39, "wrong-type")),
    _option("range-inf", "type: float, range: [0, .inf]", (5, 44, "wrong-type")),
    _option("range-bool", "type: bool, range: [0, 1]", (5, 32, "bad-range")),
    _option("default-out", "type: int, range: [0, 3], default: 4", (5, 55, "bad-default")),
    _option("default-type", "type: int, default: high", (5, 40, "wrong-type")),
    _option("default-float", "type: int, default: 1.5", (5, 40, "wrong-type")),
    _option("default-yes", "type: bool, default: yes", (5, 41, "wrong-type")),
    _option("default-int64", f"type: int, default: {2**63}", (5, 40, "out-of-range")),
    _option("enum-no-choices", "type: enum", (5, 5, "bad-choices")),
    _option("enum-default", "choices: [lo, hi], default: high", (5, 48, "bad-default")),
    _option("enum-collision", "choices: [a-b, a_b]", (5, 35, "name-collision")),
    _option("enum-word", "choices: ['a b']", (5, 30, "bad-name")),
    _option("int-choices", "type: int, choices: [a]", (5, 31, "bad-choices")),
    _option("excludes-unknown", "type: int, excludes: [autoo]", (5, 42, "bad-excludes")),
    _option("excludes-self", "type: int, excludes: [effort]", (5, 42, "bad-excludes")),
    body("option-bad-name", "options:\n  - {name: 'a b', type: int}\n", (5, 12, "bad-name")),
    body("option-no-name", "options:\n  - {type: int}\n", (5, 5, "missing-key")),
    body(
        "option-collision",
        "options:\n  - {name: logLevel, type: int}\n  - {name: log_level, type: int}\n",
        (6, 12, "name-collision"),
    ),
)


def _op(id: str, text: str, *errors: Place) -> Case:
    return body(f"op-{id}", f"ops:\n  - {text}\n", *errors)


OPS = (
    _op("unknown", "Rellu", (5, 5, "unknown-op")),
    _op("case", "relu", (5, 5, "unknown-op")),
    _op("wrong-domain", "com.microsoft::Relu", (5, 5, "unknown-op")),
    _op("unknown-domain", "com.contoso::Relu", (5, 5, "unknown-domain")),
    _op("three-parts", "a::b::c", (5, 5, "bad-name")),
    _op("shell", "'Relu; rm -rf ~'", (5, 5, "bad-name")),
    _op("path", "../Relu", (5, 5, "bad-name")),
    _op("kernel", "{op: Relu, kernel: mine}", (5, 24, "unknown-value")),
    _op("constraint", "{op: Where, types: {X: [float32]}}", (5, 25, "unknown-constraint")),
    _op("constraint-type", "{op: Relu, types: {T: [string]}}", (5, 28, "type-not-allowed")),
    _op("constraint-dtype", "{op: Relu, types: {T: [float33]}}", (5, 28, "unknown-value")),
    _op("constraint-empty", "{op: Relu, types: {T: []}}", (5, 27, "empty-list")),
    _op("constraint-twice", "{op: Relu, types: {T: [float32, float32]}}", (5, 37, "listed-twice")),
    _op("constraint-scalar", "{op: Relu, types: {T: float32}}", (5, 27, "wrong-kind")),
    _op("models-text", "{op: Add, models: newest}", (5, 23, "bad-models")),
    _op("models-zero", "{op: Add, models: 0}", (5, 23, "bad-models")),
    _op("models-negative", "{op: Add, models: -1}", (5, 23, "bad-models")),
    _op("models-turned", "{op: Add, models: 20-13}", (5, 23, "bad-models")),
    _op("models-two-lower", "{op: Add, models: '>=7,>=9'}", (5, 23, "bad-models")),
    _op("models-unknown", "{op: Add, models: 99}", (5, 23, "unknown-opset")),
    _op("models-none", "{op: Mish, models: 13}", (5, 24, "no-version")),
    body("twice", "ops:\n  - Add\n  - ai.onnx::Add\n", (6, 5, "listed-twice")),
    body(
        "overlap",
        'ops:\n  - {op: Mul, models: 7-13}\n  - {op: Mul, models: ">=13"}\n',
        (6, 23, "overlap"),
    ),
    body(
        "two-kernels",
        'ops:\n  - {op: Mul, models: 7-12}\n  - {op: Mul, models: ">=13", kernel: yours}\n',
        (6, 39, "two-kernels"),
    ),
)

_CUSTOM = (
    "custom_ops:\n  - {op: com.contoso::MyClip, inputs: {x: T}, outputs: {y: T},"
    " types: {T: [float32]}%s}\n"
)

EXTRAS = (
    body(
        "custom-domain",
        "custom_ops:\n  - {op: MyClip, outputs: {y: float32}}\n",
        (5, 10, "bad-name"),
    ),
    body(
        "custom-onnx",
        "custom_ops:\n  - {op: ai.onnx.ml::A, outputs: {y: float32}}\n",
        (5, 10, "reserved-domain"),
    ),
    body("custom-no-outputs", "custom_ops:\n  - {op: a.b::C}\n", (5, 5, "missing-key")),
    body(
        "custom-type",
        "custom_ops:\n  - {op: a.b::C, outputs: {y: float}}\n",
        (5, 31, "unknown-type"),
    ),
    body(
        "custom-twice",
        "custom_ops:\n  - {op: a.b::C, outputs: {y: bool}}\n  - {op: a.b::c, outputs: {y: bool}}\n",
        (6, 10, "name-collision"),
    ),
    body("custom-name", _CUSTOM % ", attributes: {class: {type: int}}", (5, 100, "bad-name")),
    body("custom-same", _CUSTOM % ", attributes: {x: {type: int}}", (5, 100, "name-collision")),
    body(
        "custom-default",
        _CUSTOM % ", attributes: {a: {type: int, default: b}}",
        (5, 124, "wrong-type"),
    ),
    body(
        "custom-default-list",
        _CUSTOM % ", attributes: {a: {type: int, default: [1]}}",
        (5, 124, "wrong-kind"),
    ),
    body("custom-compute", _CUSTOM % ", compute: 'min(x'", (5, 100, "bad-expression")),
    body("custom-compute-name", _CUSTOM % ", compute: x + z", (5, 100, "bad-expression")),
    body("custom-compute-call", _CUSTOM % ", compute: system(x)", (5, 96, "bad-expression")),
    body("custom-compute-code", _CUSTOM % ", compute: 'x.__class__'", (5, 98, "bad-expression")),
    body("compile-registry", "compile: {drop_constants: true}\n", (4, 1, "no-effect")),
    body(
        "pattern-op",
        "paradigm: compiled\ncompile: {patterns: [{name: A, match: [Mul, Addd]}]}\n",
        (5, 45, "unknown-op"),
    ),
    body(
        "pattern-one",
        "paradigm: compiled\ncompile: {patterns: [{name: A, match: [Mul]}]}\n",
        (5, 39, "bad-pattern"),
    ),
    body("torch", "torch: {legacy: 3}\n", (4, 1, "no-effect"), (4, 17, "unknown-opset")),
    body("overlay", "overlays: [./a]\n", (4, 12, "wrong-kind")),
    body("runtime-libs", "runtime_libs: ['']\n", (4, 16, "bad-value")),
    body(
        "many-at-once",
        "verson: 1.0.0\nort: {min: 1.9}\nops: [Relu, Tanhh, {op: Add, models: x}]\n"
        "options:\n  - {name: a, type: int, default: b}\nfeatures: {profiler: yes}\n",
        (4, 1, "unknown-key"),
        (5, 12, "bad-ort"),
        (6, 13, "unknown-op"),
        (6, 38, "bad-models"),
        (8, 35, "wrong-type"),
        (9, 22, "wrong-type"),
    ),
)

CASES = (*YAML_TRAPS, *BOMBS, *NAMES, *KEYS, *PROJECT, *DEVICES, *OPTIONS, *OPS, *EXTRAS)
