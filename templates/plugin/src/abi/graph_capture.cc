<%= banner %>
#include "abi/graph_capture.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "abi/bridge.h"
#include "abi/ep.h"
#include "abi/guard.h"
#include "abi/kernel_adapter.h"

namespace <%= ns %> {
namespace {

constexpr int kNoGraph = -1;
constexpr const char* kRunOption = "gpu_graph_id";

Status Missing(int id) {
  return InvalidArgument("there is no captured graph " + std::to_string(id) +
                         ": it has been released meanwhile");
}

}  // namespace

GraphCapture::~GraphCapture() {
  graphs_.clear();
  if (stream_ == nullptr) return;
  // Nobody is left to hear of an error; whoever had to, has waited for the queue before.
  (void)factory_.order().Wait(stream_);
  factory_.order().Remove(stream_);
  if (is_own_) factory_.runtime().DestroyStream(stream_);
}

Status GraphCapture::Init(Stream users) {
  if (users != nullptr) {
    stream_ = users;
  } else {
    EP_RETURN_IF_ERROR(factory_.runtime().CreateStream(&stream_));
    is_own_ = true;
  }
  factory_.order().Add(stream_);
  return Status();
}

bool GraphCapture::Has(int id) const {
  std::shared_ptr<Captured> dropped;  // its end waits for the device, without the mutex
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = graphs_.find(id);
  if (found == graphs_.end()) return false;
  found->second->is_known = true;
  if (found->second->is_dropped) {
    dropped = std::move(found->second);
    graphs_.erase(found);
  }
  return true;
}

Status GraphCapture::ReadId(const OrtRunOptions* options, int* id) const {
  const OrtApi& ort = *factory_.api().ort;
  const char* text = options != nullptr ? ort.GetRunConfigEntry(options, kRunOption) : nullptr;
  *id = 0;
  if (text == nullptr || *text == '\0') return Status();
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  *id = static_cast<int>(number);
  if (*end == '\0' && *id == number) return Status();
  return InvalidArgument("run option " + std::string(kRunOption) + ": '" + text +
                         "' is no number of a graph");
}

Status GraphCapture::BeginRun(const OrtRunOptions* options) {
  EP_RETURN_IF_ERROR(ReadId(options, &id_));
  {
    const std::lock_guard<std::mutex> lock(run_mutex_);
    error_ = Status();
    host_values_.clear();
  }
  calls_ = 0;
  bool is_warm = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_warm = id_ != kNoGraph && warm_.count(id_) > 0 && graphs_.count(id_) == 0;
  }
  if (!is_warm) return Status();
  StreamOrder& order = factory_.order();
  EP_RETURN_IF_ERROR(order.Hold(stream_));
  const Status begun = factory_.runtime().BeginCapture(stream_);
  if (!begun.ok()) {
    order.Resume(stream_);
    return begun;
  }
  capture_ = std::make_shared<Captured>(factory_, factory_.captures().Begin(stream_));
  is_capturing_ = true;
  return Status();
}

Status GraphCapture::EndRun(const OrtRunOptions* /*options*/) {
  if (is_capturing_) return EndCapture();
  if (id_ == kNoGraph) return Status();
  // After an error, or where ORT has ended the run, the next one warms up again.
  const std::lock_guard<std::mutex> lock(mutex_);
  if (calls_ == kernels_) warm_.insert(id_);
  return Status();
}

Status GraphCapture::EndCapture() {
  is_capturing_ = false;
  const std::shared_ptr<Captured> captured = std::exchange(capture_, nullptr);
  factory_.captures().End(stream_);
  Status status = factory_.runtime().EndCapture(stream_, &captured->graph);
  factory_.order().Resume(stream_);
  {
    const std::lock_guard<std::mutex> lock(run_mutex_);
    if (!error_.ok()) status = error_;
  }
  // ORT does not say that a run has failed, nor that the application has ended it.
  if (status.ok() && calls_ != kernels_) {
    status = Failed("the run has ended before all of its " + std::to_string(kernels_) +
                    " kernels were called");
  }
  // What is captured has not been done yet.
  if (status.ok()) status = Launch(captured);
  if (!status.ok()) {
    return Status(status.code(), "graph " + std::to_string(id_) + " is not captured: " +
                                     status.message());
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  graphs_[id_] = captured;
  return Status();
}

// A replay does not know the stream of its run: what the application has put into any comes first.
Status GraphCapture::Launch(const std::shared_ptr<Captured>& captured) {
  factory_.order().SettleOutside();
  EP_RETURN_IF_ERROR(factory_.runtime().Replay(captured->graph, stream_));
  return factory_.order().Wait(stream_);
}

Status GraphCapture::Replay(int id) {
  std::shared_ptr<Captured> captured;  // also if it is released meanwhile
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = graphs_.find(id);
    if (found == graphs_.end()) return Missing(id);
    captured = found->second;
  }
  return Launch(captured);
}

Status GraphCapture::Release(int id) {
  std::shared_ptr<Captured> captured;  // its end waits for the device, without the mutex
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = graphs_.find(id);
  if (found == graphs_.end()) return Status();
  if (!found->second->is_known) {  // the run that has captured it would be made again
    found->second->is_dropped = true;
    return Status();
  }
  captured = std::move(found->second);
  graphs_.erase(found);
  warm_.erase(id);
  return Status();
}

void GraphCapture::CountCall(const Status& status) {
  if (status.ok()) ++calls_;
  Note(status);
}

void GraphCapture::Note(const Status& status) {
  if (status.ok() || !is_capturing_) return;
  const std::lock_guard<std::mutex> lock(run_mutex_);
  if (error_.ok()) error_ = status;
}

void GraphCapture::AddMemory(const void* address) {
  if (is_capturing_) factory_.captures().Use(stream_, address);
}

Status GraphCapture::CheckStream(Stream stream) {
  if (!is_capturing_ || stream == stream_) return Status();
  return NotImplemented(
      "a run on a stream of its own cannot be captured: a replay does not know of it. Leave it to the "
      "session's stream, or set " + std::string(kRunOption) + " to -1 for this run");
}

void GraphCapture::AddHostValue(const void* data) {
  if (!is_capturing_) return;
  const std::lock_guard<std::mutex> lock(run_mutex_);
  host_values_.insert(data);
}

Status GraphCapture::CheckHostValue(const void* data) {
  if (!is_capturing_) return Status();
  const std::lock_guard<std::mutex> lock(run_mutex_);
  if (host_values_.count(data) > 0) return Status();
  return NotImplemented(
      "is read on the host, where a replay would not see that it changes: it must be a constant, or "
      "made of shapes, for the run to be captured");
}

OrtStatus* ORT_API_CALL CreateCapturedKernel(void* entry, const OrtKernelInfo* info,
                                             OrtKernelImpl** kernel) noexcept {
  const Api& api = *static_cast<const KernelEntry*>(entry)->api;
  OrtStatus* failure = CreateKernel(entry, info, kernel);
  if (failure != nullptr) return failure;
  failure = GuardStatus(*api.ort, [&]() -> Status {
    const OrtEp* ep = nullptr;
    EP_ORT(api, ep->KernelInfo_GetEp(info, &ep));
    auto* adapter = static_cast<KernelAdapter*>(*kernel);
    return adapter->Capture(info, static_cast<const Ep*>(ep)->capture());
  });
  if (failure != nullptr) (*kernel)->Release(std::exchange(*kernel, nullptr));
  return failure;
}

}  // namespace <%= ns %>
