<%= banner %>
#include "abi/kernel_adapter.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>

#include "abi/guard.h"
#include "abi/kernel_registry.h"
#include "abi/node_reader.h"
#include "abi/bridge.h"

namespace <%= ns %> {
namespace {

// A text that `call` writes with its terminator, once it has been asked for the size.
template <class Function, class... Args>
Status ReadText(const Api& api, std::string* text, Function call, Args... args) {
  size_t size = 0;
  EP_RETURN_IF_ERROR(FromOrt(api, call(args..., nullptr, &size)));
  std::string buffer(size, '\0');
  EP_RETURN_IF_ERROR(FromOrt(api, call(args..., buffer.data(), &size)));
  *text = buffer.c_str();
  return Status();
}

// Exec for one call of a kernel: ORT's threads, and memory that is given back at the end.
class KernelExec final : public Exec {
 public:
  KernelExec(const Ep& ep, const OrtKernelContext* context) noexcept : ep_(ep), context_(context) {}
<% if device_memory %>
  ~KernelExec() override {
    for (void* address : scratch_) ep_.factory().runtime().Free(address);
  }
<% endif %>

  void ParallelFor(int64_t count, int64_t cost, Range range, void* body) override {
    const int64_t worthwhile = std::max<int64_t>(kWorkPerPiece / std::max<int64_t>(cost, 1), 1);
    const int64_t piece = std::max(worthwhile, (count + kMostPieces - 1) / kMostPieces);
    if (count <= piece) return range(body, 0, count);
    // No exception may cross ORT's threads: one is kept for this one.
    std::mutex mutex;
    std::exception_ptr error;
    auto run = [&](size_t index) noexcept {
      const int64_t begin = static_cast<int64_t>(index) * piece;
      try {
        range(body, begin, std::min(count, begin + piece));
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        error = std::current_exception();
      }
    };
    const auto call = [](void* loop, size_t index) { (*static_cast<decltype(run)*>(loop))(index); };
    const auto pieces = static_cast<size_t>((count + piece - 1) / piece);
    const Api& api = ep_.api();
    OrtStatus* status = api.ort->KernelContext_ParallelFor(context_, call, pieces, 0, &run);
    if (!FromOrt(api, status).ok()) range(body, 0, count);  // ORT has not begun, then
    if (error != nullptr) std::rethrow_exception(error);
  }

  Status Scratch(size_t bytes, void** memory) override {
<% if device_memory %>
    Runtime& runtime = ep_.factory().runtime();
    scratch_.push_back(nullptr);
    EP_RETURN_IF_ERROR(runtime.Allocate(bytes, &scratch_.back()));
    *memory = runtime.KernelAddress(scratch_.back());
<% else %>
    // Not make_unique, which would clear it.
    scratch_.emplace_back(new std::max_align_t[bytes / sizeof(std::max_align_t) + 1]);
    *memory = scratch_.back().get();
<% endif %>
    return Status();
  }

  void* Stream() const noexcept override { return nullptr; }

 private:
  static constexpr int64_t kWorkPerPiece = 32768;  // element operations that are worth a thread
  static constexpr int64_t kMostPieces = 128;

  const Ep& ep_;
  const OrtKernelContext* context_;
<% if device_memory %>
  std::vector<void*> scratch_;
<% else %>
  std::vector<std::unique_ptr<std::max_align_t[]>> scratch_;
<% endif %>
};

}  // namespace

OrtStatus* ORT_API_CALL CreateKernel(void* entry, const OrtKernelInfo* info,
                                     OrtKernelImpl** kernel) noexcept {
  const auto* registered = static_cast<const KernelEntry*>(entry);
  const Api& api = *registered->api;
  return GuardStatus(*api.ort, [&]() -> Status {
    *kernel = nullptr;
    const OrtEp* ep = nullptr;
    EP_ORT(api, ep->KernelInfo_GetEp(info, &ep));
    auto made = std::make_unique<KernelAdapter>(*static_cast<const Ep*>(ep), *registered->row);
    EP_RETURN_IF_ERROR(made->Init(info));
    *kernel = made.release();
    return Status();
  });
}

KernelAdapter::KernelAdapter(const Ep& ep, const KernelRow& row)
    : OrtKernelImpl(Stamped<OrtKernelImpl>(ep.api())), ep_(ep), row_(row) {
  Compute = Callback<&KernelAdapter::Execute>::Call;
  Release = Delete<KernelAdapter>;
}

Status KernelAdapter::Init(const OrtKernelInfo* info) {
  NodeReader node(api());
  EP_RETURN_IF_ERROR(node.Init(info));
  output_count_ = node.OutputCount();
  input_names_.resize(node.InputCount());
  for (size_t i = 0; i < input_names_.size(); ++i) {
    std::string& name = input_names_[i];
    EP_RETURN_IF_ERROR(ReadText(api(), &name, api().ort->KernelInfo_GetInputName, info, i));
  }
  std::string name;
  EP_RETURN_IF_ERROR(ReadText(api(), &name, api().ort->KernelInfo_GetNodeName, info));
  label_ = std::string(row_.op) + " node '" + name + "': ";
  return Located(row_.make(node, kernel_));
}

Status KernelAdapter::Execute(OrtKernelContext* context) { return Located(Run(context)); }

Status KernelAdapter::Located(const Status& status) const {
  return status.ok() ? Status() : Status(status.code(), label_ + status.message());
}

Status KernelAdapter::Run(OrtKernelContext* context) const {
  const size_t count = input_names_.size();
  std::vector<Tensor> tensors(count);
  std::vector<const Tensor*> present(count);
  for (size_t i = 0; i < count; ++i) {
    const OrtValue* value = nullptr;
    EP_ORT(api(), ort->KernelContext_GetInput(context, i, &value));
<% if device_memory %>
    EP_RETURN_IF_ERROR(View(value, HasBit(row_.host_inputs, i), &tensors[i]));
<% else %>
    EP_RETURN_IF_ERROR(ViewTensor(api(), value, &tensors[i]));
<% endif %>
    if (tensors[i].dtype != DType::kUndefined) present[i] = &tensors[i];
  }
  for (size_t i = 0; i < kMaskBits; ++i) {
    if (!HasBit(row_.needed_inputs, i) || (i < count && present[i] != nullptr)) continue;
    const std::string name = i < count ? " '" + input_names_[i] + "'" : "";
    return InvalidArgument("input " + std::to_string(i) + name + " is missing");
  }
  const Inputs inputs(present.data(), count);
  Shapes shapes(output_count_);
  EP_RETURN_IF_ERROR(kernel_->InferShapes(inputs, shapes));
  if (shapes.size() < output_count_) return Failed("the kernel does not know all its outputs");

  std::vector<MutableTensor> results(output_count_);
  std::vector<MutableTensor*> wanted(output_count_);
  bool all_empty = true;
  for (size_t i = 0; i < output_count_; ++i) {
    OrtValue* value = nullptr;  // stays null when nobody wants this output
    Tensor view;
    const Shape& shape = shapes[i];
    EP_ORT(api(), ort->KernelContext_GetOutput(context, i, shape.data(), shape.size(), &value));
<% if device_memory %>
    EP_RETURN_IF_ERROR(View(value, HasBit(row_.host_outputs, i), &view));
<% else %>
    EP_RETURN_IF_ERROR(ViewTensor(api(), value, &view));
<% endif %>
    if (view.dtype == DType::kUndefined) continue;
    results[i] = {const_cast<void*>(view.raw), view.dtype, shape};
    wanted[i] = &results[i];
    if (results[i].size() != 0) all_empty = false;
  }
  if (all_empty) return Status();
  KernelExec exec(ep_, context);
  return kernel_->Compute(inputs, Outputs(wanted.data(), output_count_), exec);
}

<% if device_memory %>
Status KernelAdapter::View(const OrtValue* value, bool on_host, Tensor* tensor) const {
  EP_RETURN_IF_ERROR(ViewTensor(api(), value, tensor));
  const bool absent = tensor->dtype == DType::kUndefined;
  if (absent || on_host || tensor->size() == 0) return Status();
  tensor->raw = ep_.factory().runtime().KernelAddress(const_cast<void*>(tensor->raw));
  return tensor->raw != nullptr ? Status() : Failed("a tensor is not in the device's memory");
}
<% endif %>

}  // namespace <%= ns %>
