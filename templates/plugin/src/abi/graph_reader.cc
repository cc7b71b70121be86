<%= banner %>
#include "abi/graph_reader.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "abi/node_reader.h"
<% if patterns %>
#include "gen/graph/patterns.h"
<% endif %>

namespace <%= ns %> {
namespace {

// Null for what is no tensor, or of a type that nobody knows.
Status TensorInfo(const Api& api, const OrtValueInfo* value,
                  const OrtTensorTypeAndShapeInfo** tensor) {
  const OrtTypeInfo* info = nullptr;  // the value's, not ours to release
  *tensor = nullptr;
  if (value != nullptr) EP_ORT(api, ort->GetValueInfoTypeInfo(value, &info));
  if (info == nullptr) return Status();
  return FromOrt(api, api.ort->CastTypeInfoToTensorInfo(info, tensor));
}

Status ReadShape(const Api& api, const OrtTensorTypeAndShapeInfo* tensor, GraphValue* value) {
  value->has_shape = api.ort->TensorTypeAndShape_HasShape(tensor);
  if (!value->has_shape) return Status();
  size_t rank = 0;
  EP_ORT(api, ort->GetDimensionsCount(tensor, &rank));
  value->shape.resize(rank);
  if (rank == 0) return Status();
  return FromOrt(api, api.ort->GetDimensions(tensor, value->shape.data(), rank));
}

SharedBytes Copy(const void* from, size_t size) {
  // Not make_shared, which would clear it first.
  const std::shared_ptr<unsigned char> memory(new unsigned char[size],
                                              std::default_delete<unsigned char[]>());
  std::memcpy(memory.get(), from, size);
  return {memory, memory.get(), size};
}

}  // namespace

Status ReadName(const Api& api, const OrtValueInfo* value, std::string_view* name) {
  const char* text = nullptr;
  EP_ORT(api, ort->GetValueInfoName(value, &text));
  *name = text;
  return Status();
}

Status ReadElementType(const Api& api, const OrtValueInfo* value, DType* type) {
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  EP_RETURN_IF_ERROR(TensorInfo(api, value, &tensor));
  if (tensor != nullptr) EP_ORT(api, ort->GetTensorElementType(tensor, &element));
  *type = static_cast<DType>(element);
  return Status();
}

Status GraphReader::Read(const OrtGraph* graph, Graph* made) {
  graph_ = made;
  index_.clear();
  const char* name = nullptr;
  EP_ORT(api_, ort->Graph_GetName(graph, &name));
  made->name = name;
  std::vector<const OrtValueInfo*> values;
  std::vector<const OrtNode*> nodes;
  uint32_t index = 0;
  bool is_new = false;
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Graph_GetNumInputs, &OrtApi::Graph_GetInputs>(api_, graph, &values)));
  for (const OrtValueInfo* value : values) {
    EP_RETURN_IF_ERROR(AddValue(value, &index, &is_new));
    made->inputs.push_back(index);
  }
  // In an order in which they can be computed: what a node reads is known when its turn comes.
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Graph_GetNumNodes, &OrtApi::Graph_GetNodes>(api_, graph, &nodes)));
  made->nodes.reserve(nodes.size());
  for (const OrtNode* node : nodes) EP_RETURN_IF_ERROR(AddNode(node));
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Graph_GetNumOutputs, &OrtApi::Graph_GetOutputs>(api_, graph, &values)));
  for (const OrtValueInfo* value : values) {
    EP_RETURN_IF_ERROR(AddValue(value, &index, &is_new));
    if (is_new) return Failed("'" + made->values[index].name + "' is an output that nothing makes");
    made->outputs.push_back(index);
  }
<% if patterns %>
  AddPatterns();
<% endif %>
  return Status();
}

Status GraphReader::AddNode(const OrtNode* node) {
  GraphNode made;
  const char* text = nullptr;
  EP_ORT(api_, ort->Node_GetName(node, &text));
  made.name = text;
  EP_ORT(api_, ort->Node_GetDomain(node, &text));
  made.domain = text;
  EP_ORT(api_, ort->Node_GetOperatorType(node, &text));
  made.op = text;
  EP_ORT(api_, ort->Node_GetSinceVersion(node, &made.since));
  EP_RETURN_IF_ERROR(AddAttributes(node, &made));
  std::vector<const OrtValueInfo*> values;
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Node_GetNumInputs, &OrtApi::Node_GetInputs>(api_, node, &values)));
  for (const OrtValueInfo* value : values) {
    made.inputs.push_back(GraphNode::kAbsent);
    if (value == nullptr) continue;
    bool is_new = false;
    EP_RETURN_IF_ERROR(AddValue(value, &made.inputs.back(), &is_new));
    if (is_new) EP_RETURN_IF_ERROR(AddConstant(value, made.inputs.back()));
  }
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Node_GetNumOutputs, &OrtApi::Node_GetOutputs>(api_, node, &values)));
  for (const OrtValueInfo* value : values) {
    made.outputs.push_back(GraphNode::kAbsent);
    bool is_new = false;
    if (value != nullptr) EP_RETURN_IF_ERROR(AddValue(value, &made.outputs.back(), &is_new));
  }
  graph_->nodes.push_back(std::move(made));
  return Status();
}

// Attributes of other kinds are left out: no kernel can ask for them.
Status GraphReader::AddAttributes(const OrtNode* node, GraphNode* made) {
  std::vector<const OrtOpAttr*> attributes;
  EP_RETURN_IF_ERROR((ReadList<&OrtApi::Node_GetNumAttributes, &OrtApi::Node_GetAttributes>(
      api_, node, &attributes)));
  NodeReader node_reader(api_);
  EP_RETURN_IF_ERROR(node_reader.Init(node));
  const Node& reader = node_reader;
  for (const OrtOpAttr* attribute : attributes) {
    if (attribute == nullptr) continue;
    const char* name = nullptr;
    OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
    EP_ORT(api_, ort->OpAttr_GetName(attribute, &name));
    EP_ORT(api_, ort->OpAttr_GetType(attribute, &type));
    Attribute read;
    read.name = name;
    if (type == ORT_OP_ATTR_INT) {
      read.kind = Attribute::Kind::kInt;
      EP_RETURN_IF_ERROR(reader.Get(name, &read.number));
    } else if (type == ORT_OP_ATTR_FLOAT) {
      read.kind = Attribute::Kind::kFloat;
      EP_RETURN_IF_ERROR(reader.Get(name, &read.real));
    } else if (type == ORT_OP_ATTR_STRING) {
      read.kind = Attribute::Kind::kString;
      EP_RETURN_IF_ERROR(reader.Get(name, &read.text));
    } else if (type == ORT_OP_ATTR_INTS) {
      read.kind = Attribute::Kind::kInts;
      EP_RETURN_IF_ERROR(reader.Get(name, &read.numbers));
    } else if (type == ORT_OP_ATTR_FLOATS) {
      read.kind = Attribute::Kind::kFloats;
      EP_RETURN_IF_ERROR(reader.Get(name, &read.reals));
<% if strings_attributes %>
    } else if (type == ORT_OP_ATTR_STRINGS) {
      read.kind = Attribute::Kind::kStrings;
      EP_RETURN_IF_ERROR(reader.Get(name, &read.texts));
<% endif %>
<% if tensor_attributes %>
    } else if (type == ORT_OP_ATTR_TENSOR) {
      read.kind = Attribute::Kind::kTensor;
      EP_RETURN_IF_ERROR(reader.Get(name, &read.tensor));
<% endif %>
    } else {
      continue;
    }
    made->attributes.push_back(std::move(read));
  }
  return Status();
}

Status GraphReader::AddValue(const OrtValueInfo* value, uint32_t* index, bool* is_new) {
  std::string_view name;
  EP_RETURN_IF_ERROR(ReadName(api_, value, &name));
  const auto next = static_cast<uint32_t>(graph_->values.size());
  const auto [entry, added] = index_.emplace(name, next);
  *index = entry->second;
  *is_new = added;
  if (!added) return Status();
  GraphValue made;
  made.name = std::string(name);
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  EP_RETURN_IF_ERROR(TensorInfo(api_, value, &tensor));
  if (tensor != nullptr) {
    EP_RETURN_IF_ERROR(ReadElementType(api_, value, &made.dtype));
    EP_RETURN_IF_ERROR(ReadShape(api_, tensor, &made));
  }
  graph_->values.push_back(std::move(made));
  return Status();
}

Status GraphReader::AddConstant(const OrtValueInfo* value, uint32_t index) {
  GraphValue& known = graph_->values[index];
  bool constant = false;
  const OrtValue* content = nullptr;
  Tensor tensor;
  EP_ORT(api_, ort->ValueInfo_IsConstantInitializer(value, &constant));
  if (constant) EP_ORT(api_, ort->ValueInfo_GetInitializerValue(value, &content));
  EP_RETURN_IF_ERROR(ViewTensor(api_, content, &tensor));
  if (SizeOf(tensor.dtype) == 0) {
    return Failed("'" + known.name + "' is read, but neither made, nor fed, nor a constant");
  }
  known.dtype = tensor.dtype;
  known.has_shape = true;
  known.shape = tensor.shape;
  const size_t size = static_cast<size_t>(tensor.size()) * SizeOf(tensor.dtype);
  graph_->constants.push_back({index, SharedBytes()});
  if (size == 0) return Status();
  // Every group has its own view of the constant; and a name may mean another in another graph.
  SharedBytes& copy = copies_[known.name];
  const bool same = copy.size == size && std::memcmp(copy.data, tensor.raw, size) == 0;
  if (!same) copy = Copy(tensor.raw, size);
  graph_->constants.back().bytes = copy;
  return Status();
}
<% if patterns %>

void GraphReader::AddPatterns() {
  struct Reads {
    uint32_t count = 0;
    uint32_t last = PatternNode::kNone;  // node
  };
  std::vector<Reads> reads(graph_->values.size());
  for (uint32_t node = 0; node < graph_->nodes.size(); ++node) {
    for (uint32_t value : graph_->nodes[node].inputs) {
      if (value != GraphNode::kAbsent) reads[value] = {reads[value].count + 1, node};
    }
  }
  for (uint32_t value : graph_->outputs) ++reads[value].count;  // by somebody outside
  std::vector<PatternNode> nodes;
  nodes.reserve(graph_->nodes.size());
  for (const GraphNode& node : graph_->nodes) {
    nodes.push_back({node.domain.c_str(), node.op.c_str(), true, PatternNode::kNone});
    const uint32_t first = node.outputs.empty() ? GraphNode::kAbsent : node.outputs[0];
    if (first != GraphNode::kAbsent && reads[first].count == 1) nodes.back().next = reads[first].last;
  }
  graph_->patterns = FindPatterns(nodes);
}
<% endif %>

}  // namespace <%= ns %>
