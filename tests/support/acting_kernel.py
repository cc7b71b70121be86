"""A project with a kernel that does what a test wants: meet another call, fail, throw."""

from __future__ import annotations

from native_modules import NativeModule, native_module
from projects import expanded

ACTING = """\
epforge: 1
name: acme-npu
vendor: Acme
ops: [Add, MatMul, Mul, Relu]
custom_ops:
  - op: com.acme::Act
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32]}
    attributes: {what: {type: string, default: copy}}
python: {native: separate}
"""
_SOURCE = "src/kernels/com_acme_act.cc"
_BODY = """\
// Two calls are there at the same time, or both fail after a while.
Status Meet() {
  static std::mutex& mutex = *new std::mutex;
  static std::condition_variable& arrival = *new std::condition_variable;
  static int arrived = 0;
  std::unique_lock<std::mutex> lock(mutex);
  ++arrived;
  arrival.notify_all();
  const bool met = arrival.wait_for(lock, std::chrono::seconds(60), [] { return arrived >= 2; });
  return met ? Status() : Failed("nobody came");
}

// Says in one pipe that it is there, and waits for the end of another. `pipes`: "pipe OUT IN".
Status WaitFor(const std::string& pipes) {
  size_t end = 0;
  const int out = std::stoi(pipes.substr(5), &end);
  const int in = std::stoi(pipes.substr(5 + end));
  char byte = '!';
  if (::write(out, &byte, 1) != 1) return Failed("nobody reads");
  return ::read(in, &byte, 1) == 0 ? Status() : Failed("it has not ended");
}

Status InferShapes(const ComAcmeActAttrs& attrs, Inputs inputs, Shapes& shapes) {
  shapes[0] = inputs[0].shape;
  if (attrs.what == "negative") shapes[0] = {2, -1};
  if (attrs.what == "huge") shapes[0] = {int64_t{1} << 62, 8};
  if (attrs.what == "large") shapes[0] = {int64_t{1} << 58};
  if (attrs.what == "forget") shapes.clear();
  if (attrs.what == "meet-early") return Meet();
  return Status();
}

Status Compute(const ComAcmeActAttrs& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  if (attrs.what == "meet") EP_RETURN_IF_ERROR(Meet());
  if (attrs.what.rfind("pipe ", 0) == 0) EP_RETURN_IF_ERROR(WaitFor(attrs.what));
  if (attrs.what == "refuse") return NotImplemented("it is too hard");
  if (attrs.what == "invalid") return InvalidArgument("it is wrong");
  if (attrs.what == "fail") return Failed("it broke");
  if (attrs.what == "lost") return Status(StatusCode::kDeviceLost, "the device is gone");
  if (attrs.what == "bytes") return Failed("caf\\xE9");
  if (attrs.what == "throw") throw std::logic_error("it was thrown");
  if (attrs.what == "memory") throw std::bad_alloc();
  void* scratch = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(64, &scratch));
  ParallelFor(exec, inputs[0].size(), 1000, [&](int64_t begin, int64_t end) {
    std::copy(inputs[0].data<float>() + begin, inputs[0].data<float>() + end,
              outputs[0].data<float>() + begin);
  });
  return Status();
}
"""
_HEADERS = (
    "unistd.h", "algorithm", "chrono", "condition_variable", "cstdint", "mutex", "new",
    "stdexcept", "string",
)  # fmt: skip


def acting_kernel(what: str = ACTING) -> tuple[str, dict[str, str]]:
    """The blueprint, and the kernel as its owner has written it."""
    files = {file.path: file.content.decode() for file in expanded(what).files}
    text = files[_SOURCE]
    stubs = text[text.index("Status InferShapes") : text.rindex("}  // namespace")]
    include = '#include "kernels/com_acme_act.h"\n'
    headers = include + "\n" + "".join(f"#include <{name}>\n" for name in _HEADERS)
    header = files["src/kernels/com_acme_act.h"]
    ready = header.replace("kReadyComAcmeAct = false", "kReadyComAcmeAct = true")
    assert ready != header
    return what, {
        _SOURCE: text.replace(stubs, _BODY + "\n").replace(include, headers),
        "src/kernels/com_acme_act.h": ready,
    }


def acting_module() -> NativeModule:
    """The module of that project."""
    text, changes = acting_kernel()
    return native_module(text, changes=changes)
