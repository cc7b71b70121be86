<%= banner %>
#include "gen/graph/program_check.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "gen/api/signature.h"
<% if custom_ops %>
#include "gen/custom_ops.h"
<% endif %>
#include "gen/kernel_table.h"

namespace <%= ns %> {
namespace {

constexpr size_t kMaxRank = 64;
constexpr size_t kMaxName = 1 << 16;

std::string Describe(const Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size() && i < kMaxRank; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + ")";
}

// A kernel reads a bool as one, so it must be 0 or 1.
bool AreBools(const unsigned char* data, size_t size) {
  return std::all_of(data, data + size, [](unsigned char byte) { return byte <= 1; });
}

class Checker {
 public:
  explicit Checker(const Graph& graph) : graph_(graph), source_(graph.values.size()) {}

  Status CheckValues() {
    if (graph_.values.size() >= GraphNode::kAbsent) return InvalidArgument("far too many values");
    for (const GraphValue& value : graph_.values) {
      if (value.name.size() > kMaxName) return InvalidArgument("a name is far too long");
      if (!value.has_shape) continue;
      const auto is_dim = [](int64_t dim) { return dim >= -1; };
      if (value.shape.size() <= kMaxRank &&
          std::all_of(value.shape.begin(), value.shape.end(), is_dim)) {
        continue;
      }
      return InvalidArgument("value '" + value.name + "' cannot have the shape " +
                             Describe(value.shape));
    }
    for (uint32_t input : graph_.inputs) EP_RETURN_IF_ERROR(Define(input, Source::kGiven));
    for (const GraphConstant& constant : graph_.constants) {
      EP_RETURN_IF_ERROR(Define(constant.value, Source::kGiven));
      EP_RETURN_IF_ERROR(CheckConstant(constant));
    }
    return Status();
  }

  Status CheckNode(const GraphNode& node, const KernelRow** row) {
    *row = nullptr;
    if (std::max(node.op.size(), node.name.size()) > kMaxName) {
      return InvalidArgument("a name is far too long");
    }
    // The table is asked with C strings.
    const bool whole =
        node.op.find('\0') == std::string::npos && node.domain.find('\0') == std::string::npos;
    if (whole) *row = FindKernel(node.domain.c_str(), node.op.c_str(), node.since);
    if (*row == nullptr || !(*row)->ready) {
      return NotImplemented("there is no kernel for version " + std::to_string(node.since) +
                            " of the operator");
    }
    if (node.outputs.empty()) return InvalidArgument("the node has no outputs");
    std::vector<DType> inputs;
    for (uint32_t input : node.inputs) {
      if (input != GraphNode::kAbsent && !IsDefined(input)) {
        return InvalidArgument("input " + std::to_string(inputs.size()) + " is not there yet");
      }
      inputs.push_back(TypeOf(input));
    }
    std::vector<DType> outputs;
    for (uint32_t output : node.outputs) {
      if (output != GraphNode::kAbsent) EP_RETURN_IF_ERROR(Define(output, Source::kNode));
      outputs.push_back(TypeOf(output));
    }
    EP_RETURN_IF_ERROR(CheckSignature(**row, inputs, outputs));
    return CheckAttributes(node, **row, inputs, outputs[0]);
  }

  Status CheckOutputs() {
    for (uint32_t output : graph_.outputs) {
      if (output >= source_.size() || source_[output] != Source::kNode) {
        return InvalidArgument("output " + std::to_string(output) +
                               " of the graph is not what a node computes, or is named twice");
      }
      source_[output] = Source::kGiven;
    }
    return Status();
  }

 private:
  enum class Source : uint8_t { kNone, kGiven, kNode };

  bool IsDefined(uint32_t value) const {
    return value < source_.size() && source_[value] != Source::kNone;
  }
  DType TypeOf(uint32_t value) const {
    return value == GraphNode::kAbsent ? DType::kUndefined : graph_.values[value].dtype;
  }

  Status Define(uint32_t value, Source source) {
    if (value >= source_.size()) return InvalidArgument("a value is not there");
    const GraphValue& defined = graph_.values[value];
    if (source_[value] != Source::kNone) {
      return InvalidArgument("value '" + defined.name + "' comes from two places");
    }
    if (SizeOf(defined.dtype) == 0) {
      return NotImplemented("value '" + defined.name + "' is " + NameOf(defined.dtype) +
                            ": its elements have no fixed size");
    }
    source_[value] = source;
    return Status();
  }

  Status CheckConstant(const GraphConstant& constant) {
    const GraphValue& value = graph_.values[constant.value];
    size_t bytes = 0;
    EP_RETURN_IF_ERROR(CountBytes(value.dtype, value.shape, &bytes));
    if (!value.has_shape || bytes != constant.bytes.size) {
      return InvalidArgument("constant '" + value.name + "' has " +
                             std::to_string(constant.bytes.size) + " bytes, not the " +
                             std::to_string(bytes) + " of its shape " + Describe(value.shape));
    }
    if (value.dtype != DType::kBool) return Status();
    // Many constants may have the same bytes.
    const bool is_new = bools_.emplace(constant.bytes.data, bytes).second;
    if (!is_new || AreBools(constant.bytes.data, bytes)) return Status();
    return InvalidArgument("constant '" + value.name + "' has a bool that is neither 0 nor 1");
  }

  Status CheckAttributes(const GraphNode& node, const KernelRow& row,
                         const std::vector<DType>& inputs, DType output) const {
    for (const Attribute& attribute : node.attributes) {
      DType told = DType::kUndefined;  // of the output
      if (attribute.kind == Attribute::Kind::kTensor) {
        EP_RETURN_IF_ERROR(CheckTensor(attribute));
        if (attribute.name == "value") told = attribute.tensor.dtype;
      } else if (attribute.kind == Attribute::Kind::kInt &&
                 (attribute.name == "to" || attribute.name == "dtype")) {
<% if small_types %>
        told = FromProto(attribute.number);
<% else %>
        told = static_cast<DType>(attribute.number);
<% endif %>
      }
<% if custom_ops %>
      if (FindCustomOp(row) != nullptr) continue;  // to it, these names mean something of its own
<% endif %>
      if (told == DType::kUndefined || told == output || IsBound(row, inputs)) continue;
      return InvalidArgument(std::string("output 0 is ") + NameOf(output) + ", but attribute '" +
                             attribute.name + "' says " + NameOf(told));
    }
    return Status();
  }

  static Status CheckTensor(const Attribute& attribute) {
    const TensorValue& tensor = attribute.tensor;
    size_t bytes = 0;
    EP_RETURN_IF_ERROR(CountBytes(tensor.dtype, tensor.shape, &bytes));
    const bool fits = tensor.shape.size() <= kMaxRank && bytes == tensor.bytes.size() &&
                      (SizeOf(tensor.dtype) != 0 || tensor.bytes.empty());
    if (fits && (tensor.dtype != DType::kBool || AreBools(tensor.bytes.data(), bytes))) {
      return Status();
    }
    return InvalidArgument("attribute '" + attribute.name + "' is not a tensor of the shape " +
                           Describe(tensor.shape));
  }

  // Whether the types of the inputs decide that of the first output.
  static bool IsBound(const KernelRow& row, const std::vector<DType>& inputs) {
    for (size_t i = 0; i < row.rule_count; ++i) {
      const TypeRule& rule = row.rules[i];
      if (!Names(rule.outputs, 0)) continue;
      if (*rule.constraint == '\0') return true;
      for (size_t j = 0; j < inputs.size(); ++j) {
        if (inputs[j] != DType::kUndefined && Names(rule.inputs, j)) return true;
      }
    }
    return false;
  }

  const Graph& graph_;
  std::vector<Source> source_;  // per value
  std::set<std::pair<const unsigned char*, size_t>> bools_;
};

}  // namespace

Status CheckGraph(const Graph& graph, std::vector<const KernelRow*>* rows) {
  Checker checker(graph);
  EP_RETURN_IF_ERROR(checker.CheckValues());
  rows->resize(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    EP_RETURN_IF_ERROR(Located(graph, i, checker.CheckNode(graph.nodes[i], &(*rows)[i])));
  }
  return checker.CheckOutputs();
}

Status Located(const Graph& graph, size_t node, const Status& status) {
  if (status.ok()) return Status();
  const GraphNode& place = graph.nodes[node];
  const std::string domain = place.domain.c_str();  // what comes after a '\0' would end the text
  const std::string op = (domain.empty() ? "" : domain + "::") + place.op.c_str();
  const std::string name = place.name.c_str();
  const std::string label = name.empty() ? std::to_string(node) : "'" + name + "'";
  return Status(status.code(), op + " node " + label + ": " + status.message());
}

Status CountBytes(DType dtype, const Shape& shape, size_t* bytes) {
  const uint64_t most = (SIZE_MAX >> 1) / std::max<size_t>(SizeOf(dtype), 1);
  uint64_t count = 1;
  for (int64_t dim : shape) {
    if (dim < 0) return InvalidArgument("a dimension is negative in shape " + Describe(shape));
    const auto size = static_cast<uint64_t>(dim);
    count = count != 0 && size > most / count ? most + 1 : count * size;
  }
  if (count > most) return InvalidArgument("shape " + Describe(shape) + " has too many elements");
  *bytes = static_cast<size_t>(count) * SizeOf(dtype);
  return Status();
}

}  // namespace <%= ns %>
