#include "blob_bases.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "gen/graph/executable.h"
#include "gen/kernel_table.h"

namespace fuzz {
namespace {

using namespace PROJECT;  // NOLINT

constexpr uint32_t kAbsent = GraphNode::kAbsent;

[[noreturn]] void Die(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(2);
}

Attribute Int(const char* name, int64_t number) {
  Attribute attribute;
  attribute.name = name;
  attribute.number = number;
  return attribute;
}

Attribute Ints(const char* name, std::vector<int64_t> numbers) {
  Attribute attribute;
  attribute.name = name;
  attribute.kind = Attribute::Kind::kInts;
  attribute.numbers = std::move(numbers);
  return attribute;
}

Attribute Text(const char* name, const char* text) {
  Attribute attribute;
  attribute.name = name;
  attribute.kind = Attribute::Kind::kString;
  attribute.text = text;
  return attribute;
}

Attribute Real(const char* name, float real) {
  Attribute attribute;
  attribute.name = name;
  attribute.kind = Attribute::Kind::kFloat;
  attribute.real = real;
  return attribute;
}

Attribute Reals(const char* name, std::vector<float> reals) {
  Attribute attribute;
  attribute.name = name;
  attribute.kind = Attribute::Kind::kFloats;
  attribute.reals = std::move(reals);
  return attribute;
}

template <class T>
std::vector<unsigned char> ToBytes(const std::vector<T>& items) {
  std::vector<unsigned char> bytes(items.size() * sizeof(T));
  if (!items.empty()) std::memcpy(bytes.data(), items.data(), bytes.size());
  return bytes;
}

template <class T>
Attribute TensorOf(const char* name, DType dtype, const std::vector<T>& items) {
  Attribute attribute;
  attribute.name = name;
  attribute.kind = Attribute::Kind::kTensor;
  attribute.tensor = {dtype, {static_cast<int64_t>(items.size())}, ToBytes(items)};
  return attribute;
}

// Puts a graph together.
class Builder {
 public:
  uint32_t Input(const char* name, DType dtype) {
    graph.inputs.push_back(Value(name, dtype));
    return graph.inputs.back();
  }
  template <class T>
  uint32_t Constant(DType dtype, Shape shape, const std::vector<T>& items) {
    auto owner = std::make_shared<const std::vector<unsigned char>>(ToBytes(items));
    const std::string name = "constant" + std::to_string(graph.constants.size());
    graph.constants.push_back({Value(name, dtype), {owner, owner->data(), owner->size()}});
    graph.values.back().has_shape = true;
    graph.values.back().shape = std::move(shape);
    return graph.constants.back().value;
  }
  uint32_t Longs(const std::vector<int64_t>& items) {
    return Constant(DType::kInt64, {static_cast<int64_t>(items.size())}, items);
  }
  // The newest version of the operator that there is a kernel for; returns its first output.
  uint32_t Node(const char* op, std::vector<uint32_t> inputs, std::vector<DType> outputs,
                std::vector<Attribute> attributes = {}) {
    GraphNode node;
    node.name = std::string(op) + std::to_string(graph.nodes.size());
    node.op = op;
    const KernelTable table = Kernels();
    for (size_t i = 0; i < table.count; ++i) {
      if (table.rows[i].op == node.op && *table.rows[i].domain == '\0') {
        node.since = table.rows[i].since;
      }
    }
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    for (DType dtype : outputs) {
      const std::string name = node.name + "." + std::to_string(node.outputs.size());
      node.outputs.push_back(dtype == DType::kUndefined ? kAbsent : Value(name, dtype));
    }
    graph.nodes.push_back(std::move(node));
    return graph.nodes.back().outputs.front();
  }

  Graph graph;

 private:
  uint32_t Value(const std::string& name, DType dtype) {
    graph.values.emplace_back();
    graph.values.back().name = name;
    graph.values.back().dtype = dtype;
    return static_cast<uint32_t>(graph.values.size() - 1);
  }
};

constexpr DType kFloat = DType::kFloat32;
constexpr DType kLong = DType::kInt64;

// Attributes of all kinds, those too that nobody asks for; inputs that are left out.
Graph Convolution() {
  Builder made;
  const uint32_t x = made.Input("X", kFloat);
  const uint32_t weights =
      made.Constant(kFloat, {4, 3, 3, 3}, std::vector<float>(4 * 3 * 3 * 3, 0.125F));
  const uint32_t bias = made.Constant<float>(kFloat, {4}, {0, 1, 2, 3});
  const uint32_t most = made.Constant<float>(kFloat, {}, {6});
  const uint32_t convolved =
      made.Node("Conv", {x, weights, bias}, {kFloat},
                {Text("auto_pad", "NOTSET"), Ints("pads", {1, 1, 1, 1}), Ints("strides", {2, 2}),
                 Int("group", 1), Ints("kernel_shape", {3, 3})});
  const uint32_t clipped = made.Node("Clip", {convolved, kAbsent, most}, {kFloat});
  const uint32_t pooled = made.Node("MaxPool", {clipped}, {kFloat},
                                    {Ints("kernel_shape", {2, 2}), Int("ceil_mode", 1)});
  const uint32_t last = made.Node(
      "HardSigmoid", {pooled}, {kFloat},
      {Real("alpha", 0.25F), Reals("more", {1, 2, 3}), TensorOf<float>("tensor", kFloat, {1}),
       TensorOf<uint8_t>("flags", DType::kBool, {1, 0})});
  made.graph.outputs = {last, clipped};
  return made.graph;
}

// Shapes that are computed.
Graph Shapes() {
  Builder made;
  const uint32_t x = made.Input("X", kFloat);
  const uint32_t shape = made.Node("Shape", {x}, {kLong}, {Int("start", 0)});
  const uint32_t first = made.Node(
      "Slice", {shape, made.Longs({0}), made.Longs({1}), made.Longs({0}), made.Longs({1})},
      {kLong});
  const uint32_t wanted = made.Node("Concat", {first, made.Longs({-1})}, {kLong}, {Int("axis", 0)});
  const uint32_t flat = made.Node("Reshape", {x, wanted}, {kFloat}, {Int("allowzero", 0)});
  const uint32_t ones = made.Node("ConstantOfShape", {made.Longs({1, 1})}, {kFloat},
                                  {TensorOf<float>("value", kFloat, {1})});
  const uint32_t sum = made.Node("Add", {flat, ones}, {kFloat});
  const uint32_t halves = made.Node("Cast", {shape}, {kFloat}, {Int("to", 1)});
  const uint32_t soft = made.Node("Softmax", {sum}, {kFloat}, {Int("axis", -1)});
  made.graph.outputs = {soft, halves};
  return made.graph;
}

// Several element types; outputs that nobody wants.
Graph Types() {
  Builder made;
  const uint32_t x = made.Input("X", kFloat);
  const uint32_t y = made.Input("Y", kFloat);
  const uint32_t above = made.Node("Greater", {x, y}, {DType::kBool});
  const uint32_t below = made.Node("Not", {above}, {DType::kBool});
  const uint32_t flags = made.Constant<uint8_t>(DType::kBool, {1}, {1});
  const uint32_t both = made.Node("And", {below, flags}, {DType::kBool});
  const uint32_t chosen = made.Node("Where", {both, x, y}, {kFloat});
  const uint32_t kept =
      made.Node("Dropout", {chosen}, {kFloat, DType::kUndefined}, {Int("seed", 1)});
  const uint32_t wide = made.Node("Unsqueeze", {kept, made.Longs({0})}, {kFloat});
  const uint32_t gathered =
      made.Node("Gather", {wide, made.Longs({0, -1})}, {kFloat}, {Int("axis", 0)});
  const uint32_t sum =
      made.Node("ReduceSum", {gathered, made.Longs({0})}, {kFloat}, {Int("keepdims", 1)});
  const uint32_t turned = made.Node("Transpose", {sum}, {kFloat});
  const uint32_t twice = made.Node("Concat", {turned, turned}, {kFloat}, {Int("axis", -1)});
  made.Node("Split", {twice}, {kFloat, kFloat}, {Int("axis", -1), Int("num_outputs", 2)});
  const uint32_t second = made.graph.nodes.back().outputs[1];
  const uint32_t filled = made.Node("Expand", {second, made.Longs({1})}, {kFloat});
  made.graph.outputs = {filled, above};
  return made.graph;
}

Graph Empty() {
  Builder made;
  const uint32_t x = made.Input("", kFloat);
  const uint32_t none = made.Constant<float>(kFloat, {0}, {});
  made.Node("Relu", {none}, {kFloat});
  made.graph.outputs = {made.Node("Identity", {x}, {kFloat})};
  return made.graph;
}

Saved Save(const Graph& graph) {
  CompileRequest request;
  request.graph = &graph;
  request.compile_only = true;
  std::unique_ptr<Executable> executable;
  Saved saved;
  Status status = Compile(request, &executable);
  if (status.ok()) status = executable->Save(&saved);
  if (!status.ok()) Die(std::string("a graph of ours does not compile: ") + status.message());
  return saved;
}

BlobContent Content(std::vector<BlobContent::Entry> entries) {
  BlobContent content;
  content.ep = "ContosoExecutionProvider";
  content.version = "0.1.0";
  content.architecture = "npu";
  content.entries = std::move(entries);
  return content;
}

}  // namespace

std::vector<Named> MakeBases() {
  const Saved convolution = Save(Convolution());
  const Saved shapes = Save(Shapes());
  const Saved types = Save(Types());
  const Saved empty = Save(Empty());
  return {
      {"convolution", Content({{"convolution", convolution}})},
      {"shapes", Content({{"shapes", shapes}})},
      {"types", Content({{"types", types}})},
      {"empty", Content({{"empty", empty}})},
      {"nothing", Content({})},
      {"all",
       Content({{"a/0", convolution}, {"a/1", shapes}, {"b/0", types}, {"b/1", convolution}})},
  };
}

}  // namespace fuzz
