<%= banner %>
#include "gen/graph/program_codec.h"

#include <utility>

#include "gen/graph/bytes.h"

namespace <%= ns %> {
namespace {

constexpr uint32_t kMagic = 0x474F5250;  // "PROG"
constexpr uint32_t kFormat = 1;
// The fewest bytes that each takes: no more of them can follow than there is room for.
constexpr size_t kLeastValue = 13;
constexpr size_t kLeastNode = 52;
constexpr size_t kLeastAttribute = 13;

void WriteInts(const std::vector<int64_t>& values, ByteWriter* writer) {
  writer->U64(values.size());
  for (int64_t value : values) writer->I64(value);
}

void WriteIndices(const std::vector<uint32_t>& indices, ByteWriter* writer) {
  writer->U64(indices.size());
  for (uint32_t index : indices) writer->U32(index);
}

void WriteValue(const GraphValue& value, ByteWriter* writer) {
  writer->Text(value.name);
  writer->I32(static_cast<int32_t>(value.dtype));
  writer->U8(value.has_shape ? 1 : 0);
  if (value.has_shape) WriteInts(value.shape, writer);
}

void WriteAttribute(const Attribute& attribute, ByteWriter* writer) {
  writer->Text(attribute.name);
  writer->U8(static_cast<uint8_t>(attribute.kind));
  switch (attribute.kind) {
    case Attribute::Kind::kInt:
      return writer->I64(attribute.number);
    case Attribute::Kind::kFloat:
      return writer->F32(attribute.real);
    case Attribute::Kind::kString:
      return writer->Text(attribute.text);
    case Attribute::Kind::kInts:
      return WriteInts(attribute.numbers, writer);
    case Attribute::Kind::kFloats:
      writer->U64(attribute.reals.size());
      for (float real : attribute.reals) writer->F32(real);
      return;
    case Attribute::Kind::kTensor:
      writer->I32(static_cast<int32_t>(attribute.tensor.dtype));
      WriteInts(attribute.tensor.shape, writer);
      return writer->Block(attribute.tensor.bytes.data(), attribute.tensor.bytes.size());
<% if strings_attributes %>
    case Attribute::Kind::kStrings:
      writer->U64(attribute.texts.size());
      for (const std::string& text : attribute.texts) writer->Text(text);
      return;
<% endif %>
  }
}

void WriteNode(const GraphNode& node, ByteWriter* writer) {
  writer->Text(node.name);
  writer->Text(node.domain);
  writer->Text(node.op);
  writer->I32(node.since);
  writer->U64(node.attributes.size());
  for (const Attribute& attribute : node.attributes) WriteAttribute(attribute, writer);
  WriteIndices(node.inputs, writer);
  WriteIndices(node.outputs, writer);
}

// A reader of payloads.
class Reader {
 public:
  explicit Reader(const std::vector<unsigned char>& payload)
      : bytes_(payload.data(), payload.size()) {}

  Status Read(const Saved& saved, Graph* graph) {
    if (bytes_.U32() != kMagic) return InvalidArgument("saved program: this is not one");
    const uint32_t format = bytes_.U32();
    if (bytes_.ok() && format != kFormat) {
      return InvalidArgument("saved program: format " + std::to_string(format) +
                             " is not what this library reads, " + std::to_string(kFormat) +
                             ": compile the model again");
    }
    graph->name = bytes_.Text();
    graph->values.resize(bytes_.Count(kLeastValue));
    for (GraphValue& value : graph->values) ReadValue(&value);
    graph->nodes.resize(bytes_.Count(kLeastNode));
    for (GraphNode& node : graph->nodes) ReadNode(&node);
    graph->inputs = Indices();
    graph->outputs = Indices();
    const std::vector<uint32_t> constants = Indices();
    if (!bytes_.ok()) return InvalidArgument("saved program: it ends too early, or lies");
    if (bytes_.left() != 0) return InvalidArgument("saved program: something follows its end");
    if (constants.size() != saved.chunks.size()) {
      return InvalidArgument("saved program: " + std::to_string(saved.chunks.size()) +
                             " chunks for " + std::to_string(constants.size()) + " constants");
    }
    for (size_t i = 0; i < constants.size(); ++i) {
      graph->constants.push_back({constants[i], saved.chunks[i]});
    }
    return Status();
  }

 private:
  std::vector<int64_t> Ints() {
    std::vector<int64_t> values(bytes_.Count(sizeof(int64_t)));
    for (int64_t& value : values) value = bytes_.I64();
    return values;
  }
  std::vector<uint32_t> Indices() {
    std::vector<uint32_t> indices(bytes_.Count(sizeof(uint32_t)));
    for (uint32_t& index : indices) index = bytes_.U32();
    return indices;
  }

  void ReadValue(GraphValue* value) {
    value->name = bytes_.Text();
    value->dtype = static_cast<DType>(bytes_.I32());
    const uint8_t has_shape = bytes_.U8();
    if (has_shape > 1) bytes_.Fail();
    value->has_shape = has_shape == 1;
    if (value->has_shape) value->shape = Ints();
  }

  void ReadNode(GraphNode* node) {
    node->name = bytes_.Text();
    node->domain = bytes_.Text();
    node->op = bytes_.Text();
    node->since = bytes_.I32();
    node->attributes.resize(bytes_.Count(kLeastAttribute));
    for (Attribute& attribute : node->attributes) ReadAttribute(&attribute);
    node->inputs = Indices();
    node->outputs = Indices();
  }

  void ReadAttribute(Attribute* attribute) {
    attribute->name = bytes_.Text();
    const uint8_t kind = bytes_.U8();
    attribute->kind = static_cast<Attribute::Kind>(kind);
    switch (attribute->kind) {
      case Attribute::Kind::kInt:
        attribute->number = bytes_.I64();
        return;
      case Attribute::Kind::kFloat:
        attribute->real = bytes_.F32();
        return;
      case Attribute::Kind::kString:
        attribute->text = bytes_.Text();
        return;
      case Attribute::Kind::kInts:
        attribute->numbers = Ints();
        return;
      case Attribute::Kind::kFloats:
        attribute->reals.resize(bytes_.Count(sizeof(float)));
        for (float& real : attribute->reals) real = bytes_.F32();
        return;
      case Attribute::Kind::kTensor:
        attribute->tensor.dtype = static_cast<DType>(bytes_.I32());
        attribute->tensor.shape = Ints();
        attribute->tensor.bytes = bytes_.Block();
        return;
<% if strings_attributes %>
      case Attribute::Kind::kStrings:
        attribute->texts.resize(bytes_.Count(sizeof(uint64_t)));
        for (std::string& text : attribute->texts) text = bytes_.Text();
        return;
<% endif %>
    }
    bytes_.Fail();
  }

  ByteReader bytes_;
};

}  // namespace

std::vector<unsigned char> EncodeGraph(const Graph& graph) {
  std::vector<unsigned char> payload;
  ByteWriter writer(&payload);
  writer.U32(kMagic);
  writer.U32(kFormat);
  writer.Text(graph.name);
  writer.U64(graph.values.size());
  for (const GraphValue& value : graph.values) WriteValue(value, &writer);
  writer.U64(graph.nodes.size());
  for (const GraphNode& node : graph.nodes) WriteNode(node, &writer);
  WriteIndices(graph.inputs, &writer);
  WriteIndices(graph.outputs, &writer);
  writer.U64(graph.constants.size());
  for (const GraphConstant& constant : graph.constants) writer.U32(constant.value);
  return payload;
}

Status DecodeGraph(const Saved& saved, Graph* graph) {
  return Reader(saved.payload).Read(saved, graph);
}

}  // namespace <%= ns %>
