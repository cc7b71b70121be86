<%= banner %>
#include "abi/inner_graphs.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "abi/bridge.h"
#include "abi/graph_reader.h"

namespace <%= ns %> {
namespace {

using Values = std::vector<const OrtValueInfo*>;

// ORT keeps larger constants outside of the inner graph, where writing does not find them.
constexpr size_t kWritable = 127;  // bytes
// The first runtime that writes the small ones once, and the types of all that EPContext nodes make.
constexpr uint32_t kMended = 31;

Status NotWritten(const Api& api, std::string_view constant, const OrtNode* reader,
                  const char* why) {
  const char* name = "";
  EP_ORT(api, ort->Node_GetName(reader, &name));
  return NotImplemented("ep.context_enable=1: a graph within node '" + std::string(name) +
                        "' reads the constant '" + std::string(constant) + "', " + why +
                        ". Make it an input of the model");
}

}  // namespace

Status InnerGraphs::Read(const std::vector<const OrtNode*>& nodes) {
  for (const OrtNode* node : nodes) {
    EP_RETURN_IF_ERROR(ReadOuter(node));
    EP_RETURN_IF_ERROR(ReadConstants(node, node));
  }
  return Status();
}

Status InnerGraphs::ReadOuter(const OrtNode* node) {
  Values values;
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Node_GetNumImplicitInputs, &OrtApi::Node_GetImplicitInputs>(api_, node,
                                                                                     &values)));
  for (const OrtValueInfo* value : values) {
    if (value == nullptr) continue;
    bool constant = false;
    std::string_view name;
    EP_ORT(api_, ort->ValueInfo_IsConstantInitializer(value, &constant));
    EP_RETURN_IF_ERROR(ReadName(api_, value, &name));
    values_.emplace(name, Value{node, constant, !constant});
  }
  return Status();
}

Status InnerGraphs::ReadConstants(const OrtNode* node, const OrtNode* reader) {
  size_t count = 0;
  EP_ORT(api_, ort->Node_GetNumSubgraphs(node, &count));
  if (count == 0) return Status();
  std::vector<const OrtGraph*> graphs(count);
  EP_ORT(api_, ort->Node_GetSubgraphs(node, graphs.data(), count, nullptr));
  for (const OrtGraph* graph : graphs) {
    Values constants;
    EP_RETURN_IF_ERROR((ReadList<&OrtApi::Graph_GetNumInitializers, &OrtApi::Graph_GetInitializers>(
        api_, graph, &constants)));
    for (const OrtValueInfo* constant : constants) {
      const OrtValue* value = nullptr;
      size_t size = 0;
      std::string_view name;
      EP_RETURN_IF_ERROR(ReadName(api_, constant, &name));
      EP_ORT(api_, ort->ValueInfo_GetInitializerValue(constant, &value));
      if (value != nullptr) EP_ORT(api_, ort->GetTensorSizeInBytes(value, &size));
      if (size > kWritable) {
        constants_ = NotWritten(api_, name, reader,
                                "which is its own and has more than 127 bytes: ONNX Runtime writes "
                                "no such constant into a compiled model");
      } else if (api_.runtime < kMended) {
        constants_ = NotWritten(api_, name, reader,
                                "which is its own: ONNX Runtime before 1.31 would write it twice, "
                                "into a compiled model that does not load");
      }
    }
    std::vector<const OrtNode*> nodes;
    EP_RETURN_IF_ERROR(
        (ReadList<&OrtApi::Graph_GetNumNodes, &OrtApi::Graph_GetNodes>(api_, graph, &nodes)));
    for (const OrtNode* inner : nodes) EP_RETURN_IF_ERROR(ReadConstants(inner, reader));
  }
  return Status();
}

Status InnerGraphs::MayCompile(const OrtNode* node, bool* may) const {
  *may = true;
  if (values_.empty() || api_.runtime >= kMended) return Status();
  Values outputs;
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Node_GetNumOutputs, &OrtApi::Node_GetOutputs>(api_, node, &outputs)));
  for (const OrtValueInfo* output : outputs) {
    std::string_view name;
    bool leaves = true;
    if (output != nullptr) EP_ORT(api_, ort->ValueInfo_IsGraphOutput(output, &leaves));
    if (!leaves) EP_RETURN_IF_ERROR(ReadName(api_, output, &name));
    if (!leaves && values_.count(name) > 0) *may = false;
  }
  return Status();
}

Status InnerGraphs::Keep(const std::vector<const OrtNode*>& nodes, bool* any) {
  *any = false;
  if (values_.empty()) return Status();
  Values inputs;
  for (const OrtNode* node : nodes) {
    EP_RETURN_IF_ERROR(
        (ReadList<&OrtApi::Node_GetNumInputs, &OrtApi::Node_GetInputs>(api_, node, &inputs)));
    for (const OrtValueInfo* input : inputs) {
      std::string_view name;
      if (input != nullptr) EP_RETURN_IF_ERROR(ReadName(api_, input, &name));
      const auto value = values_.find(name);
      if (value == values_.end() || !value->second.constant) continue;
      value->second.written = true;
      *any = true;
    }
  }
  return Status();
}

Status InnerGraphs::Check() const {
  EP_RETURN_IF_ERROR(constants_);
  for (const auto& [name, value] : values_) {
    if (value.written) continue;
    return NotWritten(api_, name, value.reader,
                      "and no node outside of it does: ONNX Runtime writes no such constant into a "
                      "compiled model");
  }
  return Status();
}

}  // namespace <%= ns %>
