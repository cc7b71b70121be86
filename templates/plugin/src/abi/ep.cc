<%= banner %>
#include "abi/ep.h"

<% if compiled %>
#include <algorithm>
<% if contexts %>
#include <cstring>
<% endif %>
#include <utility>
#include <vector>

#include "abi/bridge.h"
<% if contexts %>
#include "abi/compatibility.h"
<% endif %>
#include "abi/guard.h"
#include "abi/handles.h"
<% if profiler %>
#include "abi/profiler.h"
<% endif %>
#include "gen/graph/executable.h"
<% else %>
#include "abi/bridge.h"
<% if control_flow %>
#include "abi/control_flow.h"
<% endif %>
#include "abi/guard.h"
#include "abi/handles.h"
#include "abi/node_reader.h"
<% if profiler %>
#include "abi/profiler.h"
<% endif %>
<% if custom_ops %>
#include "gen/api/signature.h"
#include "gen/custom_ops.h"
<% endif %>
#include "gen/kernel_table.h"
<% endif %>

namespace <%= ns %> {
<% if not compiled %>
namespace {

// The element types of a node's inputs: "float32, -" where the second was left out.
Status DescribeInputs(const Api& api, const OrtNode* node, size_t count, std::string* text) {
  std::vector<const OrtValueInfo*> inputs(count);
  EP_ORT(api, ort->Node_GetInputs(node, inputs.data(), count));
  for (const OrtValueInfo* input : inputs) {
    const OrtTypeInfo* info = nullptr;  // the value's, not ours to release
    const OrtTensorTypeAndShapeInfo* tensor = nullptr;
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    if (input != nullptr) EP_ORT(api, ort->GetValueInfoTypeInfo(input, &info));
    if (info != nullptr) EP_ORT(api, ort->CastTypeInfoToTensorInfo(info, &tensor));
    if (tensor != nullptr) EP_ORT(api, ort->GetTensorElementType(tensor, &type));
    *text += text->empty() ? "" : ", ";
    *text += info != nullptr ? NameOf(static_cast<DType>(type)) : "-";
  }
  return Status();
}

<% if custom_ops %>
// The element types of a node's inputs or outputs; kUndefined for what was left out.
template <auto Count, auto Get>
Status ReadTypes(const Api& api, const OrtNode* node, std::vector<DType>* types) {
  size_t count = 0;
  EP_RETURN_IF_ERROR(FromOrt(api, (api.ort->*Count)(node, &count)));
  std::vector<const OrtValueInfo*> values(count);
  EP_RETURN_IF_ERROR(FromOrt(api, (api.ort->*Get)(node, values.data(), count)));
  for (const OrtValueInfo* value : values) {
    const OrtTypeInfo* info = nullptr;  // the value's, not ours to release
    const OrtTensorTypeAndShapeInfo* tensor = nullptr;
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    if (value != nullptr) EP_ORT(api, ort->GetValueInfoTypeInfo(value, &info));
    if (info != nullptr) EP_ORT(api, ort->CastTypeInfoToTensorInfo(info, &tensor));
    if (tensor != nullptr) EP_ORT(api, ort->GetTensorElementType(tensor, &type));
    types->push_back(static_cast<DType>(type));
  }
  return Status();
}

// Do the types of a custom operator's node go together? ORT does not compare those of one type
// variable. The status says where they do not.
Status CheckTypes(const Api& api, const OrtNode* node, const KernelRow& row, Status* fits) {
  std::vector<DType> inputs;
  std::vector<DType> outputs;
  EP_RETURN_IF_ERROR(
      (ReadTypes<&OrtApi::Node_GetNumInputs, &OrtApi::Node_GetInputs>(api, node, &inputs)));
  EP_RETURN_IF_ERROR(
      (ReadTypes<&OrtApi::Node_GetNumOutputs, &OrtApi::Node_GetOutputs>(api, node, &outputs)));
  *fits = CheckSignature(row, inputs, outputs);
  return Status();
}

<% endif %>
}  // namespace
<% elif contexts %>
namespace {

// The EPContext node that is all of a group; null for a group of other nodes.
Status FindContext(const Api& api, const OrtGraph* graph, const OrtNode** found) {
  std::vector<const OrtNode*> nodes;
  const char* op = "";
  *found = nullptr;
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Graph_GetNumNodes, &OrtApi::Graph_GetNodes>(api, graph, &nodes)));
  if (nodes.size() != 1) return Status();
  EP_ORT(api, ort->Node_GetOperatorType(nodes[0], &op));
  if (std::strcmp(op, "EPContext") == 0) *found = nodes[0];
  return Status();
}

// `status` with the node in its text.
Status AtContext(const Api& api, const OrtNode* node, const Status& status) {
  const char* name = "";
  if (status.ok()) return Status();
  EP_ORT(api, ort->Node_GetName(node, &name));
  return Status(status.code(), "EPContext node '" + std::string(name) + "': " + status.message());
}

}  // namespace
<% endif %>

<% if contexts %>
Ep::Ep(Factory& factory, const Logger& logger, const DeviceRule& rule)
<% else %>
Ep::Ep(Factory& factory, const Logger& logger)
<% endif %>
    : OrtEp(Stamped<OrtEp>(factory.api())),
      factory_(factory),
      logger_(logger)
<% if contexts %>,
      contexts_(factory, logger_, rule),
      compatibility_(CompatibilityInfo(rule)),
      claimer_(factory.api(), logger_, contexts_)
<% elif compiled %>,
      claimer_(factory.api(), logger_)
<% endif %>
{
  GetName = Callback<&Ep::Name>::Call;
  GetCapability = Callback<&Ep::Claim>::Call;
<% if compiled %>
  Compile = Callback<&Ep::CompileGroups>::Call;
  ReleaseNodeComputeInfos = Callback<&Ep::ReleaseGroups>::Call;
<% endif %>
<% if registry %>
  GetKernelRegistry = Callback<&Ep::KernelsOfAllSessions>::Call;
<% endif %>
  IsConcurrentRunSupported = Callback<&Ep::ConcurrentRuns>::Call;
<% if nhwc %>
  GetPreferredDataLayout = Callback<&Ep::PreferredLayout>::Call;
  ShouldConvertDataLayoutForOp = Callback<&Ep::ConvertsLayout>::Call;
<% endif %>
<% if default_memory %>
  if (api().level >= 27) GetDefaultMemoryDevice = Callback<&Ep::DefaultMemory>::Call;
<% endif %>
<% if streams %>
  CreateSyncStreamForDevice = Callback<&Ep::MakeStream>::Call;
<% if target >= 25 %>
  if (api().level >= 25) Sync = Callback<&Ep::WaitForDevice>::Call;
<% endif %>
<% endif %>
<% if resource_accounting %>
  if (api().level >= 26) GetAvailableResource = Callback<&Ep::RemainingMemory>::Call;
<% endif %>
<% if dynamic_options %>
  SetDynamicOptions = Callback<&Ep::ChangeOptions>::Call;
<% endif %>
<% if profiler %>
  if (api().level >= 25) CreateProfiler = Callback<&Ep::MakeProfiler>::Call;
<% endif %>
<% if contexts %>
  GetCompiledModelCompatibilityInfo = Callback<&Ep::Compatibility>::Call;
<% if target >= 27 %>
  OnSessionInitializationEnd = Callback<&Ep::KeepContexts>::Call;
<% endif %>
<% if weightless != "none" and target >= 29 %>
  GetWeightlessSupport = Callback<&Ep::Weightless>::Call;
<% endif %>
<% if data_callbacks and target >= 31 %>
  GetEpContextDataSupport = Callback<&Ep::ContextData>::Call;
<% endif %>
<% endif %>
<% if not compiled %>
  // Compile stays null: nodes are claimed one by one, each for a kernel.
<% endif %>
}

Status Ep::Init(const OrtSessionOptions* session) {
  KeyValuePairs entries(*api().ort);
  EP_ORT(api(), ort->GetSessionOptionsConfigEntries(session, entries.out()));
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  api().ort->GetKeyValuePairs(entries.get(), &keys, &values, &count);
  const std::string prefix = <%= "api().identity->option_prefix" if several else "kOptionPrefix" %>;
<% if options %>
  std::vector<OptionText> given;
<% endif %>
  for (size_t i = 0; i < count; ++i) {
    const std::string key = keys[i];
<% if contexts %>
    EP_RETURN_IF_ERROR(contexts_.Take(key, values[i]));
<% else %>
    if (key == "ep.context_enable" && std::string(values[i]) == "1") {
      return NotImplemented("ep.context_enable=1: " + std::string(<%= "api().identity->ep_name" if several else "kEpName" %>) +
                            " does not make models with compiled EPContext nodes");
    }
<% endif %>
    std::string start = key.substr(0, prefix.size());
    for (char& c : start) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (start != prefix) continue;
    if (key.rfind(prefix, 0) != 0) {  // ignoring it would help nobody
      return InvalidArgument("'" + key + "': write the prefix of this option as " + prefix);
    }
<% if options %>
    given.push_back({key.substr(prefix.size()), values[i]});
  }
<% if contexts %>
  EP_RETURN_IF_ERROR(contexts_.Init(session));
<% endif %>
<% if dynamic_options %>
  EP_RETURN_IF_ERROR(ParseOptions(given.data(), given.size(), &options_));
  live_options_ = std::make_shared<LiveOptions>(options_);
<% if graph_capture %>
  return EnableCapture();
<% else %>
  return Status();
<% endif %>
<% elif graph_capture %>
  EP_RETURN_IF_ERROR(ParseOptions(given.data(), given.size(), &options_));
  return EnableCapture();
<% else %>
  return ParseOptions(given.data(), given.size(), &options_);
<% endif %>
<% else %>
    return InvalidArgument("unknown option '" + key.substr(prefix.size()) + "' (value '" +
                           values[i] + "'): " + <%= "api().identity->ep_name" if several else "kEpName" %> + " has no options");
  }
<% if contexts %>
  return contexts_.Init(session);
<% else %>
  return Status();
<% endif %>
<% endif %>
}

<% if streams %>
Status Ep::MakeStream(const OrtMemoryDevice* device, OrtSyncStreamImpl** stream) {
<% if graph_capture %>
  if (capture_ != nullptr) return factory_.MakeStream(device, capture_->stream(), stream, capture_);
<% endif %>
  const auto users = static_cast<uintptr_t>(options_.user_compute_stream);
  return factory_.MakeStream(device, reinterpret_cast<Stream>(users), stream);
}

<% endif %>
<% if graph_capture %>
Status Ep::EnableCapture() {
  if (!options_.enable_graph_capture) return Status();
  if (api().level < 26) {
    logger_.Warn("enable_graph_capture has no effect: this ONNX Runtime captures no graphs");
    return Status();
  }
  capture_ = std::make_shared<GraphCapture>(factory_);
  IsGraphCaptureEnabled = Callback<&Ep::CapturesGraphs>::Call;
  IsGraphCaptured = Callback<&Ep::HasGraph>::Call;
  ReplayGraph = Callback<&Ep::ReplayCaptured>::Call;
  GetGraphCaptureNodeAssignmentPolicy = Callback<&Ep::NodesOfGraph>::Call;
  OnRunStart = Callback<&Ep::BeginRun>::Call;
  OnRunEnd = Callback<&Ep::EndRun>::Call;
<% if target >= 27 %>
  if (api().level >= 27) ReleaseCapturedGraph = Callback<&Ep::ReleaseGraph>::Call;
<% endif %>
  const auto users = static_cast<uintptr_t>(options_.user_compute_stream);
  return capture_->Init(reinterpret_cast<Stream>(users));
}

<% endif %>
<% if resource_accounting %>
// What ORT divides a model by, where the session sets no limit: nodes whose memory is beyond it go
// to another execution provider.
Status Ep::RemainingMemory(OrtResourceCount* available) const {
  uint64_t total = 0;
  uint64_t remaining = 0;
  EP_RETURN_IF_ERROR(factory_.runtime().Capacity(&total, &remaining));
  *available = OrtResourceCount::FromTotalBytes(remaining);
  return Status();
}

<% endif %>
<% if dynamic_options %>
Status Ep::ChangeOptions(const char* const* keys, const char* const* values, size_t count) {
  std::vector<OptionText> changes;
  for (size_t i = 0; i < count; ++i) {
    std::optional<OptionText> change;
    EP_RETURN_IF_ERROR(ReadChange(keys[i], values[i], &change));
    if (change.has_value()) changes.push_back(*std::move(change));
  }
  return live_options_->Change(changes.data(), changes.size());
}

<% endif %>
<% if profiler %>
Status Ep::MakeProfiler(OrtEpProfilerImpl** profiler) {
  *profiler = std::make_unique<Profiler>(api(), events_).release();
  return Status();
}

<% endif %>
<% if nhwc %>
// ORT asks this of each node that was claimed, and by nothing but its operator: so a node that could
// not be ours once it is converted must not be claimed before.
Status Ep::ConvertsLayout(const char* domain, const char* op, OrtEpDataLayout layout,
                          int* converts) {
  const bool wanted = *domain == '\0' && layout == OrtEpDataLayout_NHWC && HasNhwcKernel(op);
  *converts = wanted ? 1 : 0;
  return Status();
}

<% endif %>
// ORT calls this for the graph and for each subgraph in it<% if nhwc %>, and again when it has converted nodes<% endif %>.
Status Ep::Claim(const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
<% if compiled %>
<% if contexts and weightless != "none" %>
  const bool drop_constants = <%= drop_constants | cpp_bool %> && !contexts_.weightless();
  return claimer_.Claim(graph, drop_constants, support);
<% else %>
  return claimer_.Claim(graph, <%= drop_constants | cpp_bool %>, support);
<% endif %>
}

Status Ep::CompileGroups(const OrtGraph** graphs, const OrtNode** fused, size_t count,
                         OrtNodeComputeInfo** infos, OrtNode** context_nodes) {
  std::fill_n(infos, count, nullptr);
  std::fill_n(context_nodes, count, nullptr);  // ORT gives the array whether it wants nodes or not
  GraphReader reader(api());
  std::vector<std::unique_ptr<ComputeInfo>> made(count);
  std::vector<size_t> node_counts(count);
<% if contexts %>
  std::vector<const OrtNode*> loaded(count);
  for (size_t i = 0; i < count; ++i) {
    EP_RETURN_IF_ERROR(FindContext(api(), graphs[i], &loaded[i]));
    if (loaded[i] == nullptr || !contexts_.writing()) continue;
    return AtContext(api(), loaded[i],
                     InvalidArgument("the model is compiled already; for ep.context_enable=1 load "
                                     "the model that it was compiled from"));
  }
  if (contexts_.writing()) {
    EP_RETURN_IF_ERROR(claimer_.writable());
    EP_RETURN_IF_ERROR(contexts_.BeginWrite(graphs[0]));
  }
<% endif %>
  for (size_t i = 0; i < count; ++i) {
<% if contexts %>
    if (loaded[i] != nullptr) {
      EP_RETURN_IF_ERROR(
          AtContext(api(), loaded[i], LoadGroup(graphs[i], fused[i], loaded[i], &made[i])));
      continue;
    }
<% endif %>
    EP_RETURN_IF_ERROR(CompileGroup(graphs[i], fused[i], &reader, &made[i], &node_counts[i]));
  }
<% if contexts %>
  if (contexts_.writing()) {
    std::vector<CompiledGroup> groups;
    for (size_t i = 0; i < count; ++i) {
      groups.push_back({fused[i], &made[i]->executable(), node_counts[i]});
    }
    EP_RETURN_IF_ERROR(contexts_.Write(graphs[0], groups, context_nodes));
  } else if (api().level < 27) {
    contexts_.Commit();  // older runtimes do not tell when a session is complete
  }
<% endif %>
  for (size_t i = 0; i < count; ++i) infos[i] = made[i].release();
  return Status();
}

Status Ep::CompileGroup(const OrtGraph* graph, const OrtNode* fused, GraphReader* reader,
                        std::unique_ptr<ComputeInfo>* info, size_t* node_count) {
  Graph read;
  EP_RETURN_IF_ERROR(reader->Read(graph, &read));
  *node_count = read.nodes.size();
<% if patterns %>
#ifndef NDEBUG
  EP_RETURN_IF_ERROR(claimer_.CheckPatterns(graph, read));
#endif
<% endif %>
  CompileRequest request;
  request.graph = &read;
  EP_RETURN_IF_ERROR(Make(request, info));
  return (*info)->Connect(fused);
}
<% if contexts %>

Status Ep::LoadGroup(const OrtGraph* graph, const OrtNode* fused, const OrtNode* node,
                     std::unique_ptr<ComputeInfo>* info) {
  Saved saved;
  EP_RETURN_IF_ERROR(contexts_.Load(graph, node, &saved));
  CompileRequest request;
  request.saved = &saved;
  EP_RETURN_IF_ERROR(Make(request, info));
  return (*info)->Connect(fused, node);
}
<% endif %>

Status Ep::Make(CompileRequest request, std::unique_ptr<ComputeInfo>* info) const {
<% if contexts %>
  request.compile_only = contexts_.compile_only();
<% endif %>
<% if options %>
  request.options = &options_;
<% if dynamic_options %>
  request.live_options = live_options_;
<% endif %>
<% endif %>
<% if device_memory %>
  request.runtime = &factory_.runtime();
<% endif %>
  std::unique_ptr<Executable> executable;
  EP_RETURN_IF_ERROR(<%= ns %>::Compile(request, &executable));
  if (executable == nullptr) return Failed("the compile hook reports success, but made nothing");
  *info = std::make_unique<ComputeInfo>(factory_, std::move(executable));
<% if profiler %>
  (*info)->set_events(events_.get());
<% endif %>
  return Status();
}

void Ep::ReleaseGroups(OrtNodeComputeInfo** infos, size_t count) {
  for (size_t i = 0; i < count; ++i) delete static_cast<ComputeInfo*>(infos[i]);
}
<% else %>
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
<% if control_flow %>
  const bool has_graphs = IsControlFlow(domain, op);
<% endif %>
  const KernelRow* row = FindKernel(domain, op, reader.SinceVersion());
  if (<% if control_flow %>!has_graphs && (row == nullptr || !row->ready)<% else %>row == nullptr || !row->ready<% endif %>) return refuse("there is no kernel for it");
<% if custom_ops %>
  if (<% if control_flow %>row != nullptr && <% endif %>FindCustomOp(*row) != nullptr) {
    Status fits;
    EP_RETURN_IF_ERROR(CheckTypes(api(), node, *row, &fits));
    if (!fits.ok()) return refuse(fits.message());
  }
<% endif %>
  // ORT compares the element types with those that the kernel is registered for.
  const OrtKernelDef* kernel = nullptr;
  EP_ORT(api(), ep->EpGraphSupportInfo_LookUpKernel(support, node, &kernel));
  if (kernel == nullptr) {
    std::string types;
    EP_RETURN_IF_ERROR(DescribeInputs(api(), node, reader.InputCount(), &types));
    return refuse("there is no kernel for inputs of the types " + types);
  }
<% if control_flow %>
  // Its kernel is ORT's own, and takes whatever the types allow.
  if (has_graphs) return FromOrt(api(), api().ep->EpGraphSupportInfo_AddSingleNode(support, node));
<% endif %>
  std::unique_ptr<Kernel> trial;
  const Status made = row->make(reader, trial);
  if (!made.ok()) return refuse(made.message());
<% if nhwc %>
  if (*domain == '\0' && HasNhwcKernel(op)) {
    const KernelRow* converted = FindNhwcKernel(op, reader.SinceVersion());
    if (converted == nullptr) return refuse("there is no kernel for it with its channels last");
    const Status ours = converted->make(reader, trial);
    if (!ours.ok()) return refuse(ours.message());
  }
<% endif %>
  return FromOrt(api(), api().ep->EpGraphSupportInfo_AddSingleNode(support, node));
}
<% endif %>

}  // namespace <%= ns %>
