<%= banner %>
#include "abi/ep.h"

#include <iterator>
#include <memory>
#include <vector>

#include "abi/bridge.h"
#include "abi/guard.h"
#include "abi/handles.h"
#include "abi/kernel_registry.h"
#include "abi/node_reader.h"

namespace <%= ns %> {
namespace {

// The element types of a node's inputs: "float32, -" where the second was left out.
Status DescribeInputs(const Api& api, const OrtNode* node, size_t count, std::string* text) {
  constexpr const char* kNames[] = {
      "-",     "float32", "uint8",  "int8",    "uint16",  "int16",  "int32",     "int64",      "string",
      "bool",  "float16", "float64", "uint32", "uint64", "complex64", "complex128", "bfloat16"};
  std::vector<const OrtValueInfo*> inputs(count);
  EP_ORT(api, ort->Node_GetInputs(node, inputs.data(), count));
  for (const OrtValueInfo* input : inputs) {
    const OrtTypeInfo* info = nullptr;  // the value's, not ours to release
    const OrtTensorTypeAndShapeInfo* tensor = nullptr;
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    if (input != nullptr) EP_ORT(api, ort->GetValueInfoTypeInfo(input, &info));
    if (info != nullptr) EP_ORT(api, ort->CastTypeInfoToTensorInfo(info, &tensor));
    if (tensor != nullptr) EP_ORT(api, ort->GetTensorElementType(tensor, &type));
    const auto index = static_cast<size_t>(type);
    *text += text->empty() ? "" : ", ";
    *text += index < std::size(kNames) ? kNames[index] : "another";
  }
  return Status();
}

}  // namespace

Ep::Ep(Factory& factory, const Logger& logger)
    : OrtEp(Stamped<OrtEp>(factory.api())), factory_(factory), logger_(logger) {
  GetName = Callback<&Ep::Name>::Call;
  GetCapability = Callback<&Ep::Claim>::Call;
  GetKernelRegistry = Callback<&Ep::KernelsOfAllSessions>::Call;
  IsConcurrentRunSupported = Callback<&Ep::ConcurrentRuns>::Call;
  // Compile stays null: nodes are claimed one by one, each for a kernel.
}

Status Ep::Init(const OrtSessionOptions* session) {
  KeyValuePairs entries(*api().ort);
  EP_ORT(api(), ort->GetSessionOptionsConfigEntries(session, entries.out()));
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  api().ort->GetKeyValuePairs(entries.get(), &keys, &values, &count);
  const std::string prefix = kOptionPrefix;
<% if options %>
  std::vector<OptionText> given;
<% endif %>
  for (size_t i = 0; i < count; ++i) {
    const std::string key = keys[i];
    if (key == "ep.context_enable" && std::string(values[i]) == "1") {
      return NotImplemented("ep.context_enable=1: " + std::string(kEpName) +
                            " does not make models with compiled EPContext nodes");
    }
    std::string start = key.substr(0, prefix.size());
    for (char& c : start) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (start != prefix) continue;
    if (key.rfind(prefix, 0) != 0) {  // ignoring it would help nobody
      return InvalidArgument("'" + key + "': write the prefix of this option as " + prefix);
    }
<% if options %>
    given.push_back({key.substr(prefix.size()), values[i]});
  }
  return ParseOptions(given.data(), given.size(), &options_);
<% else %>
    return InvalidArgument("unknown option '" + key.substr(prefix.size()) + "' (value '" +
                           values[i] + "'): " + kEpName + " has no options");
  }
  return Status();
<% endif %>
}

// ORT calls this for the graph and for each subgraph in it.
Status Ep::Claim(const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
  size_t count = 0;
  EP_ORT(api(), ort->Graph_GetNumNodes(graph, &count));
  std::vector<const OrtNode*> nodes(count);
  EP_ORT(api(), ort->Graph_GetNodes(graph, nodes.data(), count));
  size_t claimed = 0;
  for (const OrtNode* node : nodes) {
    std::string refusal;
    EP_RETURN_IF_ERROR(Consider(node, support, &refusal));
    if (refusal.empty()) ++claimed;
    if (!refusal.empty() && refusals_.insert(refusal).second) {
      logger_.Info("does not take " + refusal);
    }
  }
  logger_.Info("takes " + std::to_string(claimed) + " of " + std::to_string(count) + " nodes");
  return Status();
}

Status Ep::Consider(const OrtNode* node, OrtEpGraphSupportInfo* support, std::string* refusal) {
  const char* domain = nullptr;
  const char* op = nullptr;
  NodeReader reader(api());
  EP_ORT(api(), ort->Node_GetDomain(node, &domain));
  EP_ORT(api(), ort->Node_GetOperatorType(node, &op));
  EP_RETURN_IF_ERROR(reader.Init(node));
  const std::string label = (*domain != '\0' ? std::string(domain) + "::" : "") + op + "-" +
                            std::to_string(reader.SinceVersion());
  const auto refuse = [&](const std::string& reason) {
    *refusal = label + ": " + reason;
    return Status();
  };
  const KernelRow* row = FindKernel(domain, op, reader.SinceVersion());
  if (row == nullptr || !row->ready) return refuse("there is no kernel for it");
  // ORT compares the element types with those that the kernel is registered for.
  const OrtKernelDef* kernel = nullptr;
  EP_ORT(api(), ep->EpGraphSupportInfo_LookUpKernel(support, node, &kernel));
  if (kernel == nullptr) {
    std::string types;
    EP_RETURN_IF_ERROR(DescribeInputs(api(), node, reader.InputCount(), &types));
    return refuse("there is no kernel for inputs of the types " + types);
  }
  std::unique_ptr<Kernel> trial;
  const Status made = row->make(reader, trial);
  if (!made.ok()) return refuse(made.message());
  return FromOrt(api(), api().ep->EpGraphSupportInfo_AddSingleNode(support, node));
}

}  // namespace <%= ns %>
