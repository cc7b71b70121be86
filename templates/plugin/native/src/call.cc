<%= banner %>
#include "call.h"

<% if not streams %>
#include <cstddef>
<% endif %>
#include <limits>
<% if device_memory %>
#include <mutex>
<% endif %>
#include <string>
#include <utility>

<% if not streams %>
#include "gen/api/exec.h"
<% endif %>
#include "gen/api/signature.h"

namespace <%= ns %>::native {
namespace {

size_t BytesOf(const MutableTensor& tensor) {
  return static_cast<size_t>(tensor.size()) * SizeOf(tensor.dtype);
}

// Fails for shapes that no memory holds; sizes that are computed later cannot overflow then.
Status CheckShape(size_t index, const MutableTensor& tensor) {
  const auto refuse = [&](const char* reason) {
    return InvalidArgument("output " + std::to_string(index) + " would have " + reason);
  };
  uint64_t bytes = SizeOf(tensor.dtype);
  bool is_empty = false;
  for (int64_t dim : tensor.shape) {
    if (dim < 0) return refuse("a negative dimension");
    is_empty = is_empty || dim == 0;
  }
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());
  for (int64_t dim : tensor.shape) {
    if (is_empty) break;
    if (bytes > kMost / static_cast<uint64_t>(dim)) return refuse("more bytes than there can be");
    bytes *= static_cast<uint64_t>(dim);
  }
  return Status();
}

<% if not streams %>
// What a kernel may use: the caller's thread, and memory until it returns. Threads are the caller's
// affair, who may call kernels on several at once.
class CallExec final : public Exec {
 public:
<% if device_memory %>
  explicit CallExec(Runtime& runtime) noexcept : runtime_(runtime) {}
  ~CallExec() override {
    for (void* address : scratch_) runtime_.Free(address);
  }
<% endif %>
  void ParallelFor(int64_t count, int64_t /*cost*/, Range range, void* context) override {
    range(context, 0, count);
  }
  Status Scratch(size_t bytes, void** memory) override {
<% if device_memory %>
    scratch_.push_back(nullptr);
    EP_RETURN_IF_ERROR(runtime_.Allocate(bytes, &scratch_.back()));
    *memory = runtime_.KernelAddress(scratch_.back());
<% else %>
    // Not make_unique, which would clear it.
    scratch_.emplace_back(new std::max_align_t[bytes / sizeof(std::max_align_t) + 1]);
    *memory = scratch_.back().get();
<% endif %>
    return Status();
  }
  void* Stream() const noexcept override { return nullptr; }

 private:
<% if device_memory %>
  Runtime& runtime_;
  std::vector<void*> scratch_;
<% else %>
  std::vector<std::unique_ptr<std::max_align_t[]>> scratch_;
<% endif %>
};

<% endif %>
}  // namespace
<% if device_memory %>

Status OpenDevice(Runtime** runtime) {
  struct Opened {
    std::mutex mutex;
    std::unique_ptr<Runtime> runtime;
  };
  // Never destroyed: at the end of a process nobody knows what still uses it.
  static Opened& opened = *new Opened;
  const std::lock_guard<std::mutex> lock(opened.mutex);
  if (opened.runtime == nullptr) EP_RETURN_IF_ERROR(MakeRuntime(&opened.runtime));
  *runtime = opened.runtime.get();
  return Status();
}

Call::~Call() {
  for (void* address : allocations_) runtime_->Free(address);
}
<% endif %>

void InferTypes(const KernelRow& row, const std::vector<DType>& inputs,
                std::vector<DType>* outputs) {
  for (size_t i = 0; i < row.rule_count; ++i) {
    const TypeRule& rule = row.rules[i];
    DType known = rule.count == 1 ? rule.types[0] : DType::kUndefined;
    for (size_t j = 0; j < inputs.size() && *rule.constraint != '\0'; ++j) {
      if (Names(rule.inputs, j) && inputs[j] != DType::kUndefined) known = inputs[j];
    }
    for (size_t j = 0; j < outputs->size(); ++j) {
      DType& output = (*outputs)[j];
      if (Names(rule.outputs, j) && output == DType::kUndefined) output = known;
    }
  }
}

void Call::AddOutput(bool is_wanted, DType dtype) {
  wanted_.push_back(is_wanted);
  results_.push_back({nullptr, dtype, {}});
  memory_.push_back(nullptr);
}

Status Call::Prepare(const Node& node) {
  EP_RETURN_IF_ERROR(SetTypes());
  EP_RETURN_IF_ERROR(row_.make(node, kernel_));
<% if device_memory %>
  EP_RETURN_IF_ERROR(OpenDevice(&runtime_));
  EP_RETURN_IF_ERROR(Upload());
<% endif %>
  for (const Tensor& tensor : tensors_) {
    inputs_.push_back(tensor.dtype != DType::kUndefined ? &tensor : nullptr);
  }
  Shapes shapes(results_.size());
  EP_RETURN_IF_ERROR(kernel_->Infer(Inputs(inputs_.data(), inputs_.size()), shapes));
  return SetShapes(shapes);
}

Status Call::SetTypes() {
  std::vector<DType> inputs;
  std::vector<DType> outputs;
  for (const Tensor& tensor : tensors_) inputs.push_back(tensor.dtype);
  for (const MutableTensor& result : results_) outputs.push_back(result.dtype);
  InferTypes(row_, inputs, &outputs);
  std::vector<DType> checked = outputs;  // with any type that is listed where none is known
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (size_t j = 0; j < row_.rule_count && checked[i] == DType::kUndefined; ++j) {
      if (Names(row_.rules[j].outputs, i)) checked[i] = row_.rules[j].types[0];
    }
    if (!wanted_[i]) checked[i] = DType::kUndefined;
  }
  EP_RETURN_IF_ERROR(CheckSignature(row_, inputs, checked));
  for (size_t i = 0; i < outputs.size(); ++i) {
    results_[i].dtype = wanted_[i] ? outputs[i] : DType::kUndefined;
    if (results_[i].dtype == checked[i]) continue;
    return InvalidArgument("the inputs do not say of which type output " + std::to_string(i) +
                           " is: name it");
  }
  return Status();
}

Status Call::SetShapes(const Shapes& shapes) {
  if (shapes.size() < results_.size()) return Failed("the kernel does not know all its outputs");
  for (size_t i = 0; i < results_.size(); ++i) {
    results_[i].shape = shapes[i];
    if (wanted_[i]) EP_RETURN_IF_ERROR(CheckShape(i, results_[i]));
    outputs_.push_back(wanted_[i] ? &results_[i] : nullptr);
  }
  return Status();
}

Status Call::Run() {
  bool is_empty = true;
<% if device_memory %>
  addresses_.resize(results_.size(), nullptr);
<% endif %>
  for (size_t i = 0; i < results_.size(); ++i) {
    const size_t bytes = wanted_[i] ? BytesOf(results_[i]) : 0;
    if (bytes == 0) continue;
    is_empty = false;
    results_[i].raw = memory_[i];
<% if device_memory %>
    if (HasBit(row_.host_outputs, i)) continue;
    EP_RETURN_IF_ERROR(Allocate(bytes, &addresses_[i]));
    results_[i].raw = runtime_->KernelAddress(addresses_[i]);
<% endif %>
  }
  if (is_empty) return Status();
  const Inputs inputs(inputs_.data(), inputs_.size());
  const Outputs outputs(outputs_.data(), outputs_.size());
<% if streams %>
  // Without a stream the work has been done when the call returns.
  EP_RETURN_IF_ERROR(runtime_->Launch(
      nullptr, [&](Exec& exec) { return kernel_->Run(inputs, outputs, exec); }));
  return Download();
<% elif device_memory %>
  CallExec exec(*runtime_);
  EP_RETURN_IF_ERROR(kernel_->Run(inputs, outputs, exec));
  return Download();
<% else %>
  CallExec exec;
  return kernel_->Run(inputs, outputs, exec);
<% endif %>
}
<% if device_memory %>

Status Call::Allocate(size_t bytes, void** address) {
  allocations_.push_back(nullptr);
  EP_RETURN_IF_ERROR(runtime_->Allocate(bytes, &allocations_.back()));
  *address = allocations_.back();
  return Status();
}

// Inputs that kernels read on the host stay there.
Status Call::Upload() {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    Tensor& tensor = tensors_[i];
    const size_t bytes = static_cast<size_t>(tensor.size()) * SizeOf(tensor.dtype);
    if (bytes == 0 || HasBit(row_.host_inputs, i)) continue;
    void* address = nullptr;
    EP_RETURN_IF_ERROR(Allocate(bytes, &address));
    EP_RETURN_IF_ERROR(runtime_->CopyToDevice(address, tensor.raw, bytes<% if streams %>, nullptr<% endif %>));
    tensor.raw = runtime_->KernelAddress(address);
  }
  return Status();
}

Status Call::Download() {
  for (size_t i = 0; i < results_.size(); ++i) {
    if (addresses_[i] == nullptr) continue;
    const size_t bytes = BytesOf(results_[i]);
    EP_RETURN_IF_ERROR(runtime_->CopyToHost(memory_[i], addresses_[i], bytes<% if streams %>, nullptr<% endif %>));
  }
  return Status();
}
<% endif %>

}  // namespace <%= ns %>::native
