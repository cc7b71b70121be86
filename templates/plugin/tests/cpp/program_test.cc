<%= banner %>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "graph_harness.h"

// Programs: graphs that are computed kernel by kernel, saved, and restored.
namespace <%= ns %>::test {
namespace {

constexpr uint32_t kAbsent = GraphNode::kAbsent;

// y = Relu(a * b + 1), z = a * b: z is read inside and given back, too.
GraphBuilder MulAdd() {
  GraphBuilder builder;
  const uint32_t a = builder.Input();
  const uint32_t b = builder.Input();
  const uint32_t one = builder.Constant(Floats({}, {1}));
  const uint32_t product = builder.Node("Mul", {a, b});
  const uint32_t sum = builder.Node("Add", {product, one});
  builder.Output(builder.Node("Relu", {sum}));
  builder.Output(product);
  return builder;
}

void TestRun() {
  if (!Has({"Mul", "Add", "Relu"})) return;
  const std::unique_ptr<Executable> program = Compiled(MulAdd().graph);
  if (program == nullptr) return;
  CHECK(program->inputs().size() == 2 && program->inputs()[1].name == "v1");
  CHECK(program->outputs().size() == 2 && program->outputs()[0].dtype == DType::kFloat32);
  // Shapes differ from run to run; the second time there is less memory to be used again.
  std::vector<TensorValue> y = Compute(*program, {Floats({3}, {1, 2, -3}), Floats({}, {2})});
  CHECK(AreEqual(y[0], Floats({3}, {3, 5, 0})) && AreEqual(y[1], Floats({3}, {2, 4, -6})));
  y = Compute(*program, {Floats({2, 1}, {1, -1}), Floats({1, 3}, {1, 2, 3})});
  CHECK(AreEqual(y[0], Floats({2, 3}, {2, 3, 4, 0, 0, 0})));
  y = Compute(*program, {Floats({}, {5}), Floats({}, {-1})});
  CHECK(AreEqual(y[0], Floats({}, {0})) && AreEqual(y[1], Floats({}, {-5})));
  y = Compute(*program, {Floats({0, 4}, {}), Floats({4}, {1, 2, 3, 4})});
  CHECK(AreEqual(y[0], Floats({0, 4}, {})) && AreEqual(y[1], Floats({0, 4}, {})));
}

void TestThreads() {
  if (!Has({"Mul", "Add", "Relu"})) return;
  const std::unique_ptr<Executable> program = Compiled(MulAdd().graph);
  if (program == nullptr) return;
  std::vector<std::vector<TensorValue>> inputs;
  std::vector<TensorValue> expected;
  for (double number : {1.0, 2.0, 3.0, 4.0}) {
    inputs.push_back({Floats({2}, {number, 1}), Floats({}, {number})});
    expected.push_back(Floats({2}, {number * number + 1, number + 1}));
  }
  std::vector<char> good(inputs.size(), 1);  // per thread: checks are for one thread
  std::vector<std::thread> threads;
  for (size_t t = 0; t < good.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        KeptResults results(*program);
        if (!Run(*program, inputs[t], results).ok()) good[t] = 0;
        if (!AreEqual(results.Take()[0], expected[t])) good[t] = 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (char all_right : good) CHECK(all_right);
}

// One input twice, an output that several read, one that nobody reads, constants only.
void TestReaders() {
  if (!Has({"Add", "Mul"})) return;
  GraphBuilder builder;
  const uint32_t x = builder.Input();
  const uint32_t twice = builder.Node("Add", {x, x});
  (void)builder.Node("Mul", {twice, x});
  const uint32_t two = builder.Constant(Floats({1}, {2}));
  const uint32_t four = builder.Node("Add", {two, two});
  builder.Output(builder.Node("Add", {twice, four}));
  builder.Output(builder.Node("Mul", {twice, twice}));
  const std::unique_ptr<Executable> program = Compiled(builder.graph);
  if (program == nullptr) return;
  const std::vector<TensorValue> y = Compute(*program, {Floats({2}, {1, 3})});
  CHECK(AreEqual(y[0], Floats({2}, {6, 10})));
  CHECK(AreEqual(y[1], Floats({2}, {4, 36})));
}

void TestOptionalInput() {
  if (!Has({"Clip"}) || Newest("Clip")->since < 11) return;
  GraphBuilder builder;
  const uint32_t x = builder.Input();
  const uint32_t most = builder.Constant(Floats({}, {1}));
  builder.Output(builder.Node("Clip", {x, kAbsent, most}));
  const std::unique_ptr<Executable> program = Compiled(builder.graph);
  if (program == nullptr) return;
  CHECK(AreEqual(Compute(*program, {Floats({2}, {-9, 9})})[0], Floats({2}, {-9, 1})));
}

// Shapes that are inputs, constants, or computed: on a device they stay with the host, and are
// copied where one side needs what the other has made.
GraphBuilder Shapes64() {
  GraphBuilder builder;
  const uint32_t x = builder.Input();
  uint32_t shape = builder.Input(DType::kInt64);
  builder.Output(builder.Node("Reshape", {x, shape}));
  if (Takes("Shape", {DType::kFloat32}, DType::kInt64)) {
    shape = builder.Node("Shape", {builder.graph.outputs[0]}, DType::kInt64);
    builder.Output(shape);
  }
  const uint32_t zeros = builder.Constant(Make(DType::kInt64, {2}, {0, 0}));
  if (Takes("Add", {DType::kInt64, DType::kInt64}, DType::kInt64)) {
    shape = builder.Node("Add", {shape, zeros});
  }
  const uint32_t last = builder.Node("Reshape", {x, shape});
  builder.Output(builder.Node("Reshape", {last, zeros}));
  return builder;
}

void TestShapeInputs() {
  if (!Takes("Reshape", {DType::kFloat32, DType::kInt64}, DType::kFloat32)) return;
  const std::unique_ptr<Executable> program = Compiled(Shapes64().graph);
  if (program == nullptr) return;
  const TensorValue x = Floats({6}, {1, 2, 3, 4, 5, 6});
  const TensorValue y = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const TensorValue shape = Make(DType::kInt64, {2}, {2, 3});
  for (int i = 0; i < 2; ++i) {
    const std::vector<TensorValue> results = Compute(*program, {x, shape});
    CHECK(AreEqual(results.front(), y) && AreEqual(results.back(), y));
    if (results.size() == 3) CHECK(AreEqual(results[1], shape));
  }
  const TensorValue empty = Make(DType::kInt64, {2}, {0, 7});
  CHECK(AreEqual(Compute(*program, {Floats({0}, {}), empty})[0], Floats({0, 7}, {})));
}
<% if device_memory %>

// Whichever call of the device fails: an error, and nothing stays allocated.
void TestDeviceFailures() {
  if (!Takes("Reshape", {DType::kFloat32, DType::kInt64}, DType::kFloat32)) return;
  const Graph graph = Shapes64().graph;
  CompileRequest request = Request();
  request.graph = &graph;
  const std::vector<TensorValue> inputs = {Floats({2}, {1, 2}), Make(DType::kInt64, {2}, {1, 2})};
  bool has_failed = true;
  for (int call = 0; has_failed; ++call) {
    std::unique_ptr<Executable> program;
    Device().left = call;
    Status status = Program::Compile(request, &program);
    if (status.ok()) {
      KeptResults results(*program);
      status = Run(*program, inputs, results);
    }
    has_failed = Device().left < 0;
    Device().left = -1;
    CHECK(status.ok() != has_failed && (!has_failed || Contains(status, "the device fails")));
    program.reset();
    CHECK(Device().live == 0);
  }
  request.runtime = nullptr;
  std::unique_ptr<Executable> program;
  CHECK(Contains(Program::Compile(request, &program), "runtime"));
  request.compile_only = true;  // needs no device
  CHECK(Program::Compile(request, &program).ok());
}
<% endif %>

// Two buffers are enough for a chain, however long; the memory is known beforehand.
void TestWorkspace() {
  if (!Has({"Add"})) return;
  GraphBuilder builder;
  uint32_t value = builder.Input();
  const uint32_t one = builder.Constant(Floats({}, {1}));
  builder.SetShape(value, {100});
  for (int i = 0; i < 5000; ++i) {
    value = builder.Node("Add", {value, one});
    builder.SetShape(value, {100});
  }
  builder.Output(value);
  std::unique_ptr<Executable> program = Compiled(builder.graph);
  if (program == nullptr) return;
  Saved saved;
  CHECK(program->Save(&saved).ok() && saved.workspace == 2 * 448);
  CHECK(AreEqual(Compute(*program, {Floats({1}, {0.5})})[0], Floats({1}, {5000.5})));
  builder.SetShape(builder.graph.nodes[7].outputs[0], {-1});
  program = Compiled(builder.graph);
  CHECK(program->Save(&saved).ok() && saved.workspace == 0);
}

void TestRunErrors() {
  if (!Has({"Mul", "Add", "Relu"})) return;
  const std::unique_ptr<Executable> program = Compiled(MulAdd().graph);
  if (program == nullptr) return;
  const TensorValue x = Floats({2}, {1, 2});
  const auto fails = [&](const std::vector<TensorValue>& inputs, const char* text) {
    KeptResults results(*program);
    const Status status = Run(*program, inputs, results);
    CHECK_THAT(!status.ok() && Contains(status, text),
               std::string("'") + status.message() + "' has " + text);
  };
  fails({x, Floats({3}, {1, 2, 3})}, "Mul node 'Mul_0': ");
  fails({x}, "2 inputs");
  TensorValue other = x;
  other.dtype = DType::kInt32;
  fails({x, other}, "int32");
  other = x;
  other.shape = {-2};
  fails({other, x}, "negative");
  other.shape = {INT64_MAX, 2};
  fails({other, x}, "too many");
  std::vector<const Tensor*> absent = {nullptr, nullptr};
  KeptResults results(*program);
  FakeExec exec(1);
  CHECK(Contains(program->Run(Inputs(absent.data(), 2), results, <% if streams %>nullptr, <% endif %>exec), "missing"));
  for (int i = 1; i <= 2; ++i) {
    KeptResults failing(*program);
    failing.fails_at = i;
    CHECK(Contains(Run(*program, {x, x}, failing), "for the test's sake"));
  }
  CHECK(AreEqual(Compute(*program, {x, x})[1], Floats({2}, {1, 4})));
}

void TestGraphErrors() {
  if (!Has({"Mul", "Add", "Relu"})) return;
  const Graph good = MulAdd().graph;
  const auto refused = [&](const char* text, const std::function<void(Graph&)>& change) {
    Graph graph = good;
    change(graph);
    const Status status = Refused(graph);
    CHECK_THAT(!status.ok() && Contains(status, text),
               std::string("'") + status.message() + "' has " + text);
  };
  refused("Relu node 'Relu_2'", [](Graph& g) { g.nodes[2].since = 1000; });
  refused("there is no kernel", [](Graph& g) { g.nodes[0].op = "Nothing"; });
  refused("there is no kernel", [](Graph& g) { g.nodes[0].op.push_back('\0'); });
  refused("not there yet", [](Graph& g) { std::swap(g.nodes[0], g.nodes[1]); });
  refused("not there yet", [](Graph& g) { g.nodes[0].inputs[0] = 99; });
  refused("not there", [](Graph& g) { g.nodes[0].outputs[0] = 99; });
  refused("not there", [](Graph& g) { g.inputs[0] = 99; });
  refused("two places", [](Graph& g) { g.nodes[1].outputs = g.nodes[0].outputs; });
  refused("two places", [](Graph& g) { g.inputs.push_back(g.inputs[0]); });
  refused("two places", [](Graph& g) { g.constants.push_back(g.constants[0]); });
  refused("output", [](Graph& g) { g.outputs[0] = 99; });
  refused("output", [](Graph& g) { g.outputs[0] = g.inputs[0]; });
  refused("output", [](Graph& g) { g.outputs[0] = g.outputs[1]; });
  refused("input 1 is missing", [](Graph& g) { g.nodes[0].inputs[1] = kAbsent; });
  refused("input 1 is missing", [](Graph& g) { g.nodes[0].inputs.pop_back(); });
  refused("no such input", [](Graph& g) { g.nodes[0].inputs.push_back(g.inputs[0]); });
  refused("no outputs", [](Graph& g) { g.nodes[2].outputs.clear(); });
  refused("output 0 is missing", [](Graph& g) { g.nodes[2].outputs[0] = kAbsent; });
  refused("no such output", [](Graph& g) {
    g.values.push_back(g.values[0]);
    g.nodes[2].outputs.push_back(static_cast<uint32_t>(g.values.size() - 1));
  });
  refused("float64", [](Graph& g) { g.values[g.nodes[0].outputs[0]].dtype = DType::kFloat64; });
  refused("string", [](Graph& g) { g.values[0].dtype = DType::kString; });
  refused("no fixed size", [](Graph& g) { g.values[0].dtype = static_cast<DType>(-7); });
  refused("bytes", [](Graph& g) { g.values[g.constants[0].value].shape = {2}; });
  refused("negative", [](Graph& g) { g.values[g.constants[0].value].shape = {-1}; });
  refused("too many", [](Graph& g) { g.values[g.constants[0].value].shape = {INT64_MAX, 9}; });
  refused("cannot have", [](Graph& g) {
    g.values[0].has_shape = true;
    g.values[0].shape.assign(65, 1);
  });
  CompileRequest nothing = Request();
  std::unique_ptr<Executable> executable;
  CHECK(!Program::Compile(nothing, &executable).ok());
  CHECK(!Program::Restore(nothing, &executable).ok());
}

void TestSave() {
  if (!Has({"Mul", "Add", "Relu"})) return;
  GraphBuilder builder = MulAdd();
  CompileRequest request = Request();
  request.graph = &builder.graph;
  request.compile_only = true;
  std::unique_ptr<Executable> program;
  if (!CHECK(Program::Compile(request, &program).ok())) return;
  KeptResults results(*program);
  const std::vector<TensorValue> inputs = {Floats({2}, {1, -4}), Floats({2}, {3, 1})};
  CHECK(Contains(Run(*program, inputs, results), "to be saved"));

  Saved saved;
  Saved again;
  std::unique_ptr<Executable> restored;
  CHECK(program->Save(&saved).ok() && saved.chunks.size() == 1);
  if (!CHECK(Restored(saved, &restored).ok())) return;
  CHECK(restored->Save(&again).ok() && again.payload == saved.payload);
  CHECK(again.workspace == saved.workspace && again.chunks.size() == 1);
  const SharedBytes& chunk = saved.chunks[0];
  CHECK(again.chunks[0].size == chunk.size &&
        std::memcmp(again.chunks[0].data, chunk.data, chunk.size) == 0);
  CHECK(restored->inputs()[0].name == "v0" && restored->outputs().size() == 2);
  const std::vector<TensorValue> y = Compute(*restored, inputs);
  CHECK(AreEqual(y[0], Floats({2}, {4, 0})) && AreEqual(y[1], Floats({2}, {3, -4})));
}

// Whatever is done to what was saved: an error, or something that runs.
void TryAnyway(const Saved& saved) {
  std::unique_ptr<Executable> program;
  const Status status = Restored(saved, &program);
  if (!status.ok()) {
    CHECK(*status.message() != '\0');
    return;
  }
  std::vector<TensorValue> inputs;
  for (const Port& port : program->inputs()) {
    TensorValue value;
    value.dtype = port.dtype;
    value.shape = {2};
    value.bytes.assign(2 * SizeOf(port.dtype), 1);
    inputs.push_back(value);
  }
  KeptResults results(*program);
  (void)Run(*program, inputs, results);
}

void TestHostile() {
  if (!Has({"Mul", "Add", "Relu"})) return;
  GraphBuilder builder = MulAdd();
  builder.graph.nodes[0].attributes.resize(6);
  for (uint8_t kind = 0; kind < 6; ++kind) {
    ::<%= ns %>::Attribute& attribute = builder.graph.nodes[0].attributes[kind];
    attribute.name = "a";
    attribute.kind = static_cast<::<%= ns %>::Attribute::Kind>(kind);
    attribute.numbers = {1, 2};
    attribute.reals = {3};
    attribute.tensor = Floats({1}, {4});
  }
  const std::unique_ptr<Executable> program = Compiled(builder.graph);
  Saved saved;
  if (program == nullptr || !CHECK(program->Save(&saved).ok())) return;
  std::unique_ptr<Executable> restored;
  for (size_t size = 0; size < saved.payload.size(); ++size) {
    Saved cut = saved;
    cut.payload.resize(size);
    CHECK(!Restored(cut, &restored).ok());
  }
  Saved changed = saved;
  changed.payload.push_back(0);
  CHECK(Contains(Restored(changed, &restored), "follows its end"));
  changed = saved;
  changed.payload[4] = 2;
  CHECK(Contains(Restored(changed, &restored), "format 2"));
  changed = saved;
  changed.chunks.clear();
  CHECK(!Restored(changed, &restored).ok());
  for (size_t i = 0; i < saved.payload.size(); ++i) {
    for (int byte : {0x00, 0x01, 0x02, 0x7F, 0x80, 0xFF}) {
      changed = saved;
      changed.payload[i] = static_cast<unsigned char>(byte);
      TryAnyway(changed);
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    changed = saved;
    for (size_t n = 1 + random() % 4; n > 0; --n) {
      unsigned char& byte = changed.payload[random() % changed.payload.size()];
      byte = static_cast<unsigned char>(byte ^ 1 << random() % 8);
    }
    TryAnyway(changed);
  }
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
<% if stub_runtime %>
  std::unique_ptr<<%= ns %>::Runtime> runtime;
  const <%= ns %>::Status opened = <%= ns %>::MakeRuntime(&runtime);
  if (!opened.ok()) {
    std::printf("left out, there is no device: %s\n", opened.message());
    return 0;
  }
<% endif %>
  CHECK(Newest("No such op") == nullptr);
  TestRun();
  TestThreads();
  TestReaders();
  TestOptionalInput();
  TestShapeInputs();
<% if device_memory %>
  TestDeviceFailures();
<% endif %>
  TestWorkspace();
  TestRunErrors();
  TestGraphErrors();
  TestSave();
  TestHostile();
<% if device_memory %>
  CHECK(Device().live == 0);
<% endif %>
  return Verdict();
}
