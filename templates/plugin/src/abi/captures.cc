<%= banner %>
#include "abi/captures.h"

#include "abi/bridge.h"
#include "abi/graph_reader.h"

namespace <%= ns %> {

Status Captures::Read(const std::vector<const OrtNode*>& nodes) {
  std::vector<const OrtValueInfo*> values;
  for (const OrtNode* node : nodes) {
    EP_RETURN_IF_ERROR(
        (ReadList<&OrtApi::Node_GetNumImplicitInputs, &OrtApi::Node_GetImplicitInputs>(
            api_, node, &values)));
    for (const OrtValueInfo* value : values) {
      bool constant = false;
      if (value != nullptr) EP_ORT(api_, ort->ValueInfo_IsConstantInitializer(value, &constant));
      if (!constant) continue;
      std::string_view name;
      EP_RETURN_IF_ERROR(ReadName(api_, value, &name));
      captures_.emplace(name, Capture{node, false});
    }
  }
  return Status();
}

Status Captures::Keep(const std::vector<const OrtNode*>& nodes, bool* any) {
  *any = false;
  if (captures_.empty()) return Status();
  std::vector<const OrtValueInfo*> inputs;
  for (const OrtNode* node : nodes) {
    EP_RETURN_IF_ERROR(
        (ReadList<&OrtApi::Node_GetNumInputs, &OrtApi::Node_GetInputs>(api_, node, &inputs)));
    for (const OrtValueInfo* input : inputs) {
      std::string_view name;
      if (input != nullptr) EP_RETURN_IF_ERROR(ReadName(api_, input, &name));
      const auto capture = captures_.find(name);
      if (capture == captures_.end()) continue;
      capture->second.kept = true;
      *any = true;
    }
  }
  return Status();
}

Status Captures::Check() const {
  for (const auto& [name, capture] : captures_) {
    if (capture.kept) continue;
    const char* node = nullptr;
    EP_ORT(api_, ort->Node_GetName(capture.by, &node));
    return NotImplemented("ep.context_enable=1: of the nodes only '" + std::string(node) +
                          "' reads the constant '" + std::string(name) +
                          "', in a graph within it. ONNX Runtime loses such constants when it "
                          "writes a compiled model: move it into the inner graph");
  }
  return Status();
}

}  // namespace <%= ns %>
