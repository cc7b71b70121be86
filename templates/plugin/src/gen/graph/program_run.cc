<%= banner %>
#include "gen/graph/program_run.h"

#include <exception>
#include <new>
#include <string>
<% if streams %>
#include <utility>
<% endif %>

<% if streams %>
#include "gen/api/kernel_call.h"
<% endif %>
#include "gen/api/signature.h"
#include "gen/graph/program_check.h"

namespace <%= ns %> {

Workspace::Workspace(const ProgramData& program)
    : program_(program),
      tensors_(program.graph.values.size()),
<% if device_memory %>
      addresses_(tensors_.size()),
      host_tensors_(tensors_.size()),
      slots_(program.plan.slots),
      host_slots_(program.plan.host_slots) {
<% else %>
      slots_(program.plan.slots) {
<% endif %>
  for (size_t i = 0; i < tensors_.size(); ++i) {
    tensors_[i].dtype = program.graph.values[i].dtype;
<% if device_memory %>
    host_tensors_[i].dtype = tensors_[i].dtype;
<% endif %>
  }
  for (size_t i = 0; i < program.graph.constants.size(); ++i) {
    const GraphConstant& constant = program.graph.constants[i];
    Tensor& tensor = tensors_[constant.value];
    tensor.shape = program.graph.values[constant.value].shape;
<% if device_memory %>
    tensor.raw = program.runtime->KernelAddress(program.addresses[i]);
    host_tensors_[constant.value].shape = tensor.shape;
    host_tensors_[constant.value].raw = constant.bytes.data;
<% else %>
    tensor.raw = constant.bytes.data;
<% endif %>
  }
}

<% if streams %>
Workspace::~Workspace() {
  if (end_ == nullptr) return;
  (void)program_.runtime->WaitOnHost(end_);  // an error has been somebody else's to hear of
  program_.runtime->DestroyEvent(end_);
}

Status Workspace::Begin(Stream stream) {
  stream_ = stream;
  if (end_ == nullptr) return stream != nullptr ? program_.runtime->CreateEvent(&end_) : Status();
  return stream != nullptr ? program_.runtime->WaitOnDevice(end_, stream)
                           : program_.runtime->WaitOnHost(end_);
}

Status Workspace::Run(Inputs inputs, Results& results, Stream stream, Exec& exec) {
  EP_RETURN_IF_ERROR(Begin(stream));
  const Status status = RunAll(inputs, results, exec);
  // Also after an error: what has been queued until then still uses the memory.
  Status ended = stream != nullptr ? program_.runtime->Record(end_, stream) : Status();
  if (!ended.ok()) (void)program_.runtime->Synchronize(stream);
  return status.ok() ? ended : status;
}

Status Workspace::RunAll(Inputs inputs, Results& results, Exec& exec) {
<% else %>
Status Workspace::Run(Inputs inputs, Results& results, Exec& exec) {
<% endif %>
  const Graph& graph = program_.graph;
  if (inputs.size() != graph.inputs.size()) {
    return InvalidArgument("the compiled group takes " + std::to_string(graph.inputs.size()) +
                           " inputs, not " + std::to_string(inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = graph.values[graph.inputs[i]].name;
    if (!inputs.has(i)) return InvalidArgument("input '" + name + "' is missing");
    const Status taken = TakeInput(i, inputs[i]);
    if (!taken.ok()) return Status(taken.code(), "input '" + name + "': " + taken.message());
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Status status;
    try {
      status = RunNode(i, results, exec);
    } catch (const std::bad_alloc&) {
      status = Failed("out of memory");
    } catch (const std::exception& error) {
      status = Failed(error.what());
    }
    EP_RETURN_IF_ERROR(Located(graph, i, status));
  }
  return Status();
}

Status Workspace::TakeInput(size_t index, const Tensor& tensor) {
  const uint32_t value = program_.graph.inputs[index];
  const DType dtype = program_.graph.values[value].dtype;
  if (tensor.dtype != dtype) {
    return InvalidArgument(std::string("it is ") + NameOf(tensor.dtype) +
                           ", but was compiled for " + NameOf(dtype));
  }
  size_t bytes = 0;
  EP_RETURN_IF_ERROR(CountBytes(dtype, tensor.shape, &bytes));
  tensors_[value] = tensor;
<% if device_memory %>
  if (bytes == 0) return ReserveOnHost(value, tensor.shape);
  addresses_[value] = const_cast<void*>(tensor.raw);
  tensors_[value].raw = program_.runtime->KernelAddress(tensor.raw);
  if (tensors_[value].raw == nullptr) return Failed("it is not in the device's memory");
  return Download(value);
<% else %>
  return Status();
<% endif %>
}

Status Workspace::RunNode(size_t index, Results& results, Exec& exec) {
  const Kernel& kernel = *program_.kernels[index];
  const size_t count = program_.graph.nodes[index].outputs.size();
  ListInputs(index);
  const Inputs inputs(inputs_.data(), inputs_.size());
  shapes_.resize(count);
  for (Shape& shape : shapes_) shape.clear();
  EP_RETURN_IF_ERROR(kernel.Infer(inputs, shapes_));
  if (shapes_.size() < count) return Failed("the kernel does not know all its outputs");
  EP_RETURN_IF_ERROR(PlaceOutputs(index, results));
<% if streams %>
  const Outputs outputs(outputs_.data(), count);
  if (!is_empty_) {
    // Kernels that leave their results on the host read shapes, and nothing of the device's memory.
    EP_RETURN_IF_ERROR(program_.rows[index]->host_outputs != 0
                           ? kernel.Run(inputs, outputs, exec)
                           : Queue(index, inputs, outputs));
  }
<% else %>
  if (!is_empty_) EP_RETURN_IF_ERROR(kernel.Run(inputs, Outputs(outputs_.data(), count), exec));
<% endif %>
<% if device_memory %>
  return MoveOutputs(index, results);
<% else %>
  return Status();
<% endif %>
}

<% if streams %>
Status Workspace::Queue(size_t index, Inputs inputs, Outputs outputs) const {
  const auto call =
      std::make_shared<KernelCall>(*program_.kernels[index], inputs.size(), outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    call->AddInput(inputs.at(i), IsOnHost(program_.rows[index]->host_inputs, i));
  }
  for (size_t i = 0; i < outputs.size(); ++i) call->AddOutput(outputs.at(i));
  // The node comes with the error, which is for somebody else to report.
  auto work = [call, &graph = program_.graph, index](Exec& exec) {
    return Located(graph, index, call->Run(exec));
  };
  return program_.runtime->Launch(stream_, std::move(work));
}

<% endif %>
void Workspace::ListInputs(size_t index) {
  inputs_.clear();
  for (uint32_t value : program_.graph.nodes[index].inputs) {
    const Tensor* tensor = nullptr;
<% if device_memory %>
    const bool on_host = IsOnHost(program_.rows[index]->host_inputs, inputs_.size());
    if (value != GraphNode::kAbsent) tensor = on_host ? &host_tensors_[value] : &tensors_[value];
<% else %>
    if (value != GraphNode::kAbsent) tensor = &tensors_[value];
<% endif %>
    inputs_.push_back(tensor);
  }
<% if packing %>
  for (const auto& [input, tensor] : program_.packed[index]) inputs_[input] = &tensor;
<% endif %>
}

Status Workspace::PlaceOutputs(size_t index, Results& results) {
  const std::vector<uint32_t>& outputs = program_.graph.nodes[index].outputs;
  made_.resize(outputs.size());
  outputs_.assign(outputs.size(), nullptr);
  is_empty_ = true;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const uint32_t value = outputs[i];
    if (value == GraphNode::kAbsent) continue;
<% if device_memory %>
    const bool on_host = IsOnHost(program_.rows[index]->host_outputs, i);
    EP_RETURN_IF_ERROR(on_host ? ReserveOnHost(value, shapes_[i])
                               : PlaceOutput(value, shapes_[i], results));
    const Tensor& tensor = on_host ? host_tensors_[value] : tensors_[value];
<% else %>
    EP_RETURN_IF_ERROR(PlaceOutput(value, shapes_[i], results));
    const Tensor& tensor = tensors_[value];
<% endif %>
    made_[i] = {const_cast<void*>(tensor.raw), tensor.dtype, tensor.shape};
    outputs_[i] = &made_[i];
    if (tensor.size() != 0) is_empty_ = false;
  }
  return Status();
}

Status Workspace::PlaceOutput(uint32_t value, const Shape& shape, Results& results) {
  const Place place = program_.plan.places[value];
  Tensor& tensor = tensors_[value];
  size_t bytes = 0;
  EP_RETURN_IF_ERROR(CountBytes(tensor.dtype, shape, &bytes));
  tensor.shape = shape;
  void* memory = nullptr;
  if (place.kind == Place::Kind::kOutput) {
    MutableTensor given;
    EP_RETURN_IF_ERROR(results.Allocate(place.index, shape, &given));
    if (given.dtype != tensor.dtype || (given.raw == nullptr && bytes != 0)) {
      return Failed("there is no memory of the right type for the result");
    }
    memory = given.raw;
  } else {
<% if device_memory %>
    EP_RETURN_IF_ERROR(slots_[place.index].Reserve(*program_.runtime, bytes));
<% else %>
    EP_RETURN_IF_ERROR(slots_[place.index].Reserve(bytes));
<% endif %>
    memory = slots_[place.index].get();
  }
<% if device_memory %>
  addresses_[value] = memory;
  tensor.raw = memory;
  if (bytes == 0) return Status();
  tensor.raw = program_.runtime->KernelAddress(memory);
  return tensor.raw != nullptr ? Status() : Failed("a result is not in the device's memory");
<% else %>
  tensor.raw = memory;
  return Status();
<% endif %>
}
<% if device_memory %>

Status Workspace::ReserveOnHost(uint32_t value, const Shape& shape) {
  const Place place = program_.plan.host_places[value];
  if (place.kind != Place::Kind::kSlot) return Status();
  Tensor& tensor = host_tensors_[value];
  size_t bytes = 0;
  EP_RETURN_IF_ERROR(CountBytes(tensor.dtype, shape, &bytes));
  EP_RETURN_IF_ERROR(host_slots_[place.index].Reserve(bytes));
  tensor.raw = host_slots_[place.index].get();
  tensor.shape = shape;
  return Status();
}

// For kernels that read the value on the host, if there are any.
Status Workspace::Download(uint32_t value) {
  if (program_.plan.host_places[value].kind != Place::Kind::kSlot) return Status();
  size_t bytes = 0;
  EP_RETURN_IF_ERROR(CountBytes(tensors_[value].dtype, tensors_[value].shape, &bytes));
  EP_RETURN_IF_ERROR(ReserveOnHost(value, tensors_[value].shape));
  if (bytes == 0) return Status();
  void* host = host_slots_[program_.plan.host_places[value].index].get();
<% if streams %>
  EP_RETURN_IF_ERROR(program_.runtime->CopyToHost(host, addresses_[value], bytes, stream_));
  return stream_ != nullptr ? program_.runtime->Synchronize(stream_) : Status();
<% else %>
  return program_.runtime->CopyToHost(host, addresses_[value], bytes);
<% endif %>
}

// For kernels that read the value on the device, and for results, if it is one.
Status Workspace::Upload(uint32_t value, Results& results) {
  if (program_.plan.places[value].kind == Place::Kind::kNowhere) return Status();
  const Tensor& from = host_tensors_[value];
  size_t bytes = 0;
  EP_RETURN_IF_ERROR(CountBytes(from.dtype, from.shape, &bytes));
  EP_RETURN_IF_ERROR(PlaceOutput(value, from.shape, results));
  if (bytes == 0) return Status();
<% if streams %>
  EP_RETURN_IF_ERROR(
      program_.runtime->CopyToDevice(addresses_[value], from.raw, bytes, stream_));
  // The host's memory is for other values next.
  return stream_ != nullptr ? program_.runtime->Synchronize(stream_) : Status();
<% else %>
  return program_.runtime->CopyToDevice(addresses_[value], from.raw, bytes);
<% endif %>
}

Status Workspace::MoveOutputs(size_t index, Results& results) {
  const std::vector<uint32_t>& outputs = program_.graph.nodes[index].outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == GraphNode::kAbsent) continue;
    const bool on_host = IsOnHost(program_.rows[index]->host_outputs, i);
    EP_RETURN_IF_ERROR(on_host ? Upload(outputs[i], results) : Download(outputs[i]));
  }
  return Status();
}
<% endif %>

}  // namespace <%= ns %>
