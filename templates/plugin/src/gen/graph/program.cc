<%= banner %>
#include "gen/graph/program.h"

#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "gen/graph/buffers.h"
#include "gen/graph/graph_node.h"
#include "gen/graph/program_check.h"
#include "gen/graph/program_codec.h"
#include "gen/graph/program_plan.h"
#include "gen/graph/program_run.h"

namespace <%= ns %> {
namespace {

class GraphProgram final : public Executable {
 public:
  explicit GraphProgram(const CompileRequest& request) : is_saved_only_(request.compile_only) {
<% if device_memory %>
    data_.runtime = request.runtime;
<% endif %>
  }

  Status Init(Graph graph) {
    data_.graph = std::move(graph);
    std::vector<const KernelRow*> rows;
    EP_RETURN_IF_ERROR(CheckGraph(data_.graph, &rows));
    EP_RETURN_IF_ERROR(MakeKernels(rows));
    AlignConstants();
    ListPorts(data_.graph.inputs, &inputs_);
    ListPorts(data_.graph.outputs, &outputs_);
<% if device_memory %>
    data_.plan = MakePlan(data_.graph, rows);
    data_.rows = std::move(rows);
    if (is_saved_only_) return Status();
    EP_RETURN_IF_ERROR(UploadConstants());
    ReleaseConstants();
    return Status();
<% else %>
    data_.plan = MakePlan(data_.graph);
<% if packing %>
    if (!is_saved_only_) PackConstants();
<% endif %>
    return Status();
<% endif %>
  }

  const std::vector<Port>& inputs() const noexcept override { return inputs_; }
  const std::vector<Port>& outputs() const noexcept override { return outputs_; }

<% if streams %>
  Status Run(Inputs inputs, Results& results, Stream stream, Exec& exec) const override {
<% else %>
  Status Run(Inputs inputs, Results& results, Exec& exec) const override {
<% endif %>
    if (is_saved_only_) return Failed("this group was compiled to be saved, not to be run");
    try {
      std::unique_ptr<Workspace> workspace = TakeWorkspace();
<% if streams %>
      const Status status = workspace->Run(inputs, results, stream, exec);
<% else %>
      const Status status = workspace->Run(inputs, results, exec);
<% endif %>
      const std::lock_guard<std::mutex> lock(mutex_);
      idle_.push_back(std::move(workspace));
      return status;
    } catch (const std::bad_alloc&) {
      return Failed("out of memory");
    }
  }

  Status Save(Saved* saved) const override {
    saved->payload = EncodeGraph(data_.graph);
    saved->chunks.clear();
    for (size_t i = 0; i < data_.graph.constants.size(); ++i) {
      saved->chunks.push_back(data_.graph.constants[i].bytes);
<% if device_memory %>
      EP_RETURN_IF_ERROR(FetchConstant(i, &saved->chunks.back()));
<% endif %>
    }
    saved->workspace = data_.plan.workspace;
    return Status();
  }

 private:
  Status MakeKernels(const std::vector<const KernelRow*>& rows) {
    data_.kernels.resize(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      const GraphNodeView node(data_.graph.nodes[i]);
      EP_RETURN_IF_ERROR(Located(data_.graph, i, rows[i]->make(node, data_.kernels[i])));
    }
    return Status();
  }

  // Constants that no kernel could read where they lie get other memory.
  void AlignConstants() {
    for (GraphConstant& constant : data_.graph.constants) {
      const size_t element = SizeOf(data_.graph.values[constant.value].dtype);
      SharedBytes& bytes = constant.bytes;
      if (bytes.size != 0 && reinterpret_cast<uintptr_t>(bytes.data) % element == 0) continue;
      bytes = CopyOf(bytes);
    }
  }

<% if packing %>
  // For the kernels that read them in a form of their own.
  void PackConstants() {
    std::map<uint32_t, Tensor> constants;
    for (const GraphConstant& constant : data_.graph.constants) {
      const GraphValue& value = data_.graph.values[constant.value];
      constants[constant.value] = {constant.bytes.data, value.dtype, value.shape};
    }
    data_.packed.resize(data_.graph.nodes.size());
    for (size_t i = 0; i < data_.graph.nodes.size(); ++i) {
      const std::vector<uint32_t>& inputs = data_.graph.nodes[i].inputs;
      for (size_t j = 0; j < inputs.size(); ++j) {
        const auto found = constants.find(inputs[j]);
        if (found == constants.end()) continue;
        const size_t size = data_.kernels[i]->PackedSize(j, found->second);
        if (size == 0) continue;
        void* memory = nullptr;
        packed_.push_back(Allocate(size, &memory));
        data_.kernels[i]->Pack(j, found->second, memory);
        Tensor& tensor = data_.packed[i][j];
        tensor = found->second;
        tensor.raw = nullptr;
        tensor.packed = memory;
      }
    }
  }

<% endif %>
  // Room for some bytes, aligned for any element type; `data` is where to write.
  static SharedBytes Allocate(size_t size, void** data) {
    auto owner = std::make_shared<std::vector<uint64_t>>(size / sizeof(uint64_t) + 1);
    *data = owner->data();
    return {owner, reinterpret_cast<const unsigned char*>(owner->data()), size};
  }

  static SharedBytes CopyOf(const SharedBytes& bytes) {
    void* data = nullptr;
    SharedBytes copy = Allocate(bytes.size, &data);
    if (bytes.size != 0) std::memcpy(data, bytes.data, bytes.size);
    return copy;
  }

  void ListPorts(const std::vector<uint32_t>& values, std::vector<Port>* ports) const {
    for (uint32_t value : values) {
      ports->push_back({data_.graph.values[value].name, data_.graph.values[value].dtype});
    }
  }
<% if device_memory %>

  // Those that are read there; the same bytes once.
  Status UploadConstants() {
    if (data_.runtime == nullptr) return InvalidArgument("a program needs the device's runtime");
    std::map<std::pair<const unsigned char*, size_t>, const void*> known;
    for (const GraphConstant& constant : data_.graph.constants) {
      data_.addresses.push_back(nullptr);
      const SharedBytes& bytes = constant.bytes;
      if (data_.plan.places[constant.value].kind != Place::Kind::kConstant) continue;
      const void*& address = known[{bytes.data, bytes.size}];
      if (address == nullptr) {
        constants_.push_back(std::make_unique<DeviceBuffer>());
        EP_RETURN_IF_ERROR(constants_.back()->Reserve(*data_.runtime, bytes.size));
        void* memory = constants_.back()->get();
        if (bytes.size != 0) {
<% if streams %>
          EP_RETURN_IF_ERROR(
              data_.runtime->CopyToDevice(memory, bytes.data, bytes.size, nullptr));
<% else %>
          EP_RETURN_IF_ERROR(data_.runtime->CopyToDevice(memory, bytes.data, bytes.size));
<% endif %>
        }
        address = memory;
      }
      data_.addresses.back() = address;
    }
    return Status();
  }

  // What the device has need not be here as well. What kernels read here gets memory of its own, so
  // that it does not keep the data that all of it came from.
  void ReleaseConstants() {
    std::map<std::pair<const unsigned char*, size_t>, SharedBytes> copies;
    for (size_t i = 0; i < data_.graph.constants.size(); ++i) {
      GraphConstant& constant = data_.graph.constants[i];
      const bool on_host = data_.plan.host_places[constant.value].kind == Place::Kind::kConstant;
      if (!on_host && data_.addresses[i] != nullptr) {
        constant.bytes = {nullptr, nullptr, constant.bytes.size};
        continue;
      }
      SharedBytes& copy = copies[{constant.bytes.data, constant.bytes.size}];
      if (copy.owner == nullptr) copy = CopyOf(constant.bytes);
      constant.bytes = copy;
    }
  }

  // A constant that only the device has.
  Status FetchConstant(size_t index, SharedBytes* bytes) const {
    if (bytes->data != nullptr || bytes->size == 0) return Status();
    void* data = nullptr;
    *bytes = Allocate(bytes->size, &data);
<% if streams %>
    return data_.runtime->CopyToHost(data, data_.addresses[index], bytes->size, nullptr);
<% else %>
    return data_.runtime->CopyToHost(data, data_.addresses[index], bytes->size);
<% endif %>
  }
<% endif %>

  std::unique_ptr<Workspace> TakeWorkspace() const {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Workspace> workspace = std::move(idle_.back());
        idle_.pop_back();
        return workspace;
      }
    }
    return std::make_unique<Workspace>(data_);
  }

  const bool is_saved_only_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  ProgramData data_;
<% if packing %>
  std::vector<SharedBytes> packed_;
<% endif %>
<% if device_memory %>
  std::vector<std::unique_ptr<DeviceBuffer>> constants_;
<% endif %>
  // As many as there were runs at one time.
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Workspace>> idle_;
};

Status Make(const CompileRequest& request, Graph graph, std::unique_ptr<Executable>* executable) {
  auto program = std::make_unique<GraphProgram>(request);
  EP_RETURN_IF_ERROR(program->Init(std::move(graph)));
  *executable = std::move(program);
  return Status();
}

}  // namespace

Status Program::Compile(const CompileRequest& request, std::unique_ptr<Executable>* executable) {
  if (request.graph == nullptr) return InvalidArgument("there is no graph to compile");
  Graph graph = *request.graph;
<% if patterns %>
  graph.patterns.clear();
<% endif %>
  return Make(request, std::move(graph), executable);
}

Status Program::Restore(const CompileRequest& request, std::unique_ptr<Executable>* executable) {
  if (request.saved == nullptr) return InvalidArgument("there is no saved program");
  Graph graph;
  EP_RETURN_IF_ERROR(DecodeGraph(*request.saved, &graph));
  return Make(request, std::move(graph), executable);
}

}  // namespace <%= ns %>
