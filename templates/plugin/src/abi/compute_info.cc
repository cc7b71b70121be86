<%= banner %>
#include "abi/compute_info.h"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "abi/bridge.h"
#include "abi/graph_reader.h"
#include "abi/guard.h"
#include "abi/kernel_exec.h"

namespace <%= ns %> {
namespace {

constexpr size_t kUnwanted = SIZE_MAX;

using Names = std::vector<std::string>;

// The names of a node's inputs or outputs; empty for those left out.
Status ReadNames(const Api& api, const std::vector<const OrtValueInfo*>& values, Names* names) {
  names->clear();
  for (const OrtValueInfo* value : values) {
    std::string_view name;
    if (value != nullptr) EP_RETURN_IF_ERROR(ReadName(api, value, &name));
    names->emplace_back(name);
  }
  return Status();
}

struct Interface {
  Names inputs;
  Names outputs;
};

Status ReadInterface(const Api& api, const OrtNode* node, Interface* made) {
  std::vector<const OrtValueInfo*> values;
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Node_GetNumInputs, &OrtApi::Node_GetInputs>(api, node, &values)));
  EP_RETURN_IF_ERROR(ReadNames(api, values, &made->inputs));
  EP_RETURN_IF_ERROR(
      (ReadList<&OrtApi::Node_GetNumOutputs, &OrtApi::Node_GetOutputs>(api, node, &values)));
  return ReadNames(api, values, &made->outputs);
}

Names NamesOf(const std::vector<Port>& ports) {
  Names names;
  for (const Port& port : ports) names.push_back(port.name);
  return names;
}

// The index of each of `names` among `all`; kUnwanted for those that are not there.
std::vector<size_t> Find(const Names& names, const Names& all) {
  std::unordered_map<std::string_view, size_t> index;
  for (size_t i = 0; i < all.size(); ++i) index.emplace(all[i], i);
  std::vector<size_t> found;
  for (const std::string& name : names) {
    const auto entry = index.find(name);
    found.push_back(entry != index.end() && !name.empty() ? entry->second : kUnwanted);
  }
  return found;
}

// Memory for the results of one run: ORT's, or our own for what nobody wants.
class FusedResults final : public Results {
 public:
  FusedResults(const Factory& factory, OrtKernelContext* context, const std::vector<Port>& ports,
               const std::vector<size_t>& places) noexcept
      : factory_(factory), context_(context), ports_(ports), places_(places) {}
<% if device_memory %>
  ~FusedResults() override {
    for (void* address : unwanted_) factory_.runtime().Free(address);
  }
<% endif %>

  Status Allocate(size_t index, const Shape& shape, MutableTensor* tensor) override {
    if (index >= ports_.size()) return Failed("there is no output " + std::to_string(index));
    const Port& port = ports_[index];
    *tensor = {nullptr, port.dtype, shape};
    if (places_[index] == kUnwanted) return AllocateUnwanted(tensor);
    OrtValue* value = nullptr;
    Tensor view;
    const Api& api = factory_.api();
    EP_ORT(api, ort->KernelContext_GetOutput(context_, places_[index], shape.data(), shape.size(),
                                             &value));
    EP_RETURN_IF_ERROR(ViewTensor(api, value, &view));
    if (view.dtype != port.dtype) {
      return Failed("output '" + port.name + "' is of another type than what was compiled");
    }
    tensor->raw = const_cast<void*>(view.raw);
    return Status();
  }

 private:
  Status AllocateUnwanted(MutableTensor* tensor) {
    const size_t bytes = static_cast<size_t>(tensor->size()) * SizeOf(tensor->dtype);
    if (bytes == 0) return Status();
<% if device_memory %>
    unwanted_.push_back(nullptr);
    EP_RETURN_IF_ERROR(factory_.runtime().Allocate(bytes, &unwanted_.back()));
    tensor->raw = unwanted_.back();
<% else %>
    unwanted_.emplace_back(new std::max_align_t[bytes / sizeof(std::max_align_t) + 1]);
    tensor->raw = unwanted_.back().get();
<% endif %>
    return Status();
  }

  const Factory& factory_;
  OrtKernelContext* context_;
  const std::vector<Port>& ports_;
  const std::vector<size_t>& places_;
<% if device_memory %>
  std::vector<void*> unwanted_;
<% else %>
  std::vector<std::unique_ptr<std::max_align_t[]>> unwanted_;
<% endif %>
};

}  // namespace

ComputeInfo::ComputeInfo(const Factory& factory, std::unique_ptr<Executable> executable)
    : OrtNodeComputeInfo(Stamped<OrtNodeComputeInfo>(factory.api())),
      factory_(factory),
      executable_(std::move(executable)) {
  CreateState = Callback<&ComputeInfo::Start>::Call;
  Compute = Callback<&ComputeInfo::Run>::Call;
  ReleaseState = Callback<&ComputeInfo::End>::Call;
}

Status ComputeInfo::Connect(const OrtNode* fused) {
<% if profiler %>
  EP_RETURN_IF_ERROR(Name(fused));
<% endif %>
  Interface names;
  EP_RETURN_IF_ERROR(ReadInterface(api(), fused, &names));
  inputs_ = Find(NamesOf(executable_->inputs()), names.inputs);
  outputs_ = Find(NamesOf(executable_->outputs()), names.outputs);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i] != kUnwanted) continue;
    return Failed("its executable wants '" + executable_->inputs()[i].name +
                  "', which is no input of the group");
  }
  // Each output of the group must have a maker, or its value would never be there.
  for (size_t place : Find(names.outputs, NamesOf(executable_->outputs()))) {
    if (place == kUnwanted) return Failed("its executable does not make all outputs of the group");
  }
  return Status();
}
<% if contexts %>

Status ComputeInfo::Connect(const OrtNode* fused, const OrtNode* context) {
<% if profiler %>
  EP_RETURN_IF_ERROR(Name(fused));
<% endif %>
  Interface names;
  Interface positions;
  EP_RETURN_IF_ERROR(ReadInterface(api(), fused, &names));
  EP_RETURN_IF_ERROR(ReadInterface(api(), context, &positions));
  if (positions.inputs.size() != executable_->inputs().size() ||
      positions.outputs.size() != executable_->outputs().size()) {
    const auto count = [](size_t inputs, size_t outputs) {
      return std::to_string(inputs) + " inputs and " + std::to_string(outputs) + " outputs";
    };
    return InvalidArgument(
        "it has " + count(positions.inputs.size(), positions.outputs.size()) +
        ", what it refers to " +
        count(executable_->inputs().size(), executable_->outputs().size()) +
        ": the model was changed since it was compiled");
  }
  inputs_ = Find(positions.inputs, names.inputs);
  outputs_ = Find(positions.outputs, names.outputs);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i] == kUnwanted) {
      return InvalidArgument("its input " + std::to_string(i) + " ('" +
                             executable_->inputs()[i].name + "' when it was compiled) is missing");
    }
  }
  return Status();
}
<% endif %>

Status ComputeInfo::Start(OrtNodeComputeContext* /*context*/, void** state) {
  *state = this;  // anything but null, which could be taken for a failure
  return Status();
}

void ComputeInfo::End(void* /*state*/) {}

<% if profiler %>
Status ComputeInfo::Name(const OrtNode* fused) {
  const char* op = "";
  const char* node = "";
  EP_ORT(api(), ort->Node_GetOperatorType(fused, &op));
  EP_ORT(api(), ort->Node_GetName(fused, &node));
  op_ = op;
  node_ = node;
  return Status();
}

<% endif %>
Status ComputeInfo::Run(void* /*state*/, OrtKernelContext* context) {
<% if profiler %>
  const EventScope scope(events_, op_, node_);
<% endif %>
  const std::vector<Port>& ports = executable_->inputs();
  std::vector<Tensor> tensors(ports.size());
  std::vector<const Tensor*> inputs(ports.size());
  for (size_t i = 0; i < ports.size(); ++i) {
    const OrtValue* value = nullptr;
    EP_ORT(api(), ort->KernelContext_GetInput(context, inputs_[i], &value));
    EP_RETURN_IF_ERROR(ViewTensor(api(), value, &tensors[i]));
    inputs[i] = &tensors[i];
    if (tensors[i].dtype == DType::kUndefined) {
      return InvalidArgument("input '" + ports[i].name + "' is missing");
    }
    if (tensors[i].dtype != ports[i].dtype) {
      return InvalidArgument("input '" + ports[i].name + "' is " + NameOf(tensors[i].dtype) +
                             "; the group was compiled for " + NameOf(ports[i].dtype));
    }
  }
  FusedResults results(factory_, context, executable_->outputs(), outputs_);
<% if streams %>
  Stream stream = nullptr;  // where ORT has none, the work is done at once
  EP_ORT(api(), ort->KernelContext_GetGPUComputeStream(context, &stream));
  KernelExec exec(api(), context);
  return executable_->Run(Inputs(inputs.data(), inputs.size()), results, stream, exec);
<% else %>
<% if device_memory %>
  KernelExec exec(api(), context, &factory_.runtime());
<% else %>
  KernelExec exec(api(), context);
<% endif %>
  return executable_->Run(Inputs(inputs.data(), inputs.size()), results, exec);
<% endif %>
}

}  // namespace <%= ns %>
