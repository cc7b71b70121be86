<%= banner %>
// A CUDA device. The CUDA runtime is part of the library and looks for the driver when it is first
// called: on a machine without one the library loads, and MakeRuntime says what is missing.
//
// Nothing here uses the default stream, and nothing waits for the whole device but cudaFree and
// cudaFreeHost, as they are made.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

<% if graph_capture %>
#include "device/cuda_captures.h"
<% endif %>
<% if external_memory %>
#include "device/cuda_external.h"
<% endif %>
#include "device/cuda_libraries.h"
#include "device/runtime.h"

namespace <%= ns %> {
namespace {

// The first device that CUDA shows to this process: CUDA_VISIBLE_DEVICES may choose another.
constexpr int kDevice = 0;

// Errors after which every call fails until the process ends.
bool IsLost(cudaError_t error) {
  switch (error) {
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorMisalignedAddress:
    case cudaErrorNvlinkUncorrectable:
      return true;
    default:
      return false;
  }
}

// What a call of CUDA's came to.
Status Check(const char* call, cudaError_t error) {
  if (error == cudaSuccess) return Status();
  static_cast<void>(cudaGetLastError());  // else the next launch would be blamed for it
  const std::string text = std::string(call) + ": " + cudaGetErrorString(error) + " (" +
                           cudaGetErrorName(error) + ")";
  return Status(IsLost(error) ? StatusCode::kDeviceLost : StatusCode::kFailed, text);
}

// Makes a device the calling thread's, and gives the thread its own back.
class OnDevice {
 public:
  explicit OnDevice(int device) noexcept : error_(cudaGetDevice(&before_)) {
    if (error_ != cudaSuccess || before_ == device) return;
    error_ = cudaSetDevice(device);
    changed_ = error_ == cudaSuccess;
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() {
    if (changed_) static_cast<void>(cudaSetDevice(before_));
  }

  Status status() const { return Check("cudaSetDevice", error_); }

 private:
  int before_ = 0;
  bool changed_ = false;
  cudaError_t error_;
};

// Streams of our own, for calls that come without one. Each serves one call at a time, so that none
// waits for another's work.
class OwnStreams {
 public:
  OwnStreams() = default;
  OwnStreams(const OwnStreams&) = delete;
  OwnStreams& operator=(const OwnStreams&) = delete;
  ~OwnStreams() {
    for (cudaStream_t stream : idle_) static_cast<void>(cudaStreamDestroy(stream));
  }

  Status Take(cudaStream_t* stream) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!idle_.empty()) {
        *stream = idle_.back();
        idle_.pop_back();
        return Status();
      }
      idle_.reserve(made_ + 1);  // giving back takes no memory
      ++made_;
    }
    return Check("cudaStreamCreateWithFlags",
                 cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  }
  void GiveBack(cudaStream_t stream) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(stream);
  }

 private:
  std::mutex mutex_;
  std::vector<cudaStream_t> idle_;
  size_t made_ = 0;
};

// The stream of a call: the caller's, or one of our own until the call returns.
class Turn {
 public:
  explicit Turn(OwnStreams& own) noexcept : own_(own) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (taken_ == nullptr) return;
    if (!ended_) static_cast<void>(cudaStreamSynchronize(taken_));
    own_.GiveBack(taken_);
  }

  Status Begin(Stream stream) {
    stream_ = static_cast<cudaStream_t>(stream);
    if (stream_ != nullptr) return Status();
    EP_RETURN_IF_ERROR(own_.Take(&taken_));
    stream_ = taken_;
    return Status();
  }
  cudaStream_t stream() const noexcept { return stream_; }
  // The caller waits for its own stream when it likes.
  Status End() {
    ended_ = true;
    if (taken_ == nullptr) return Status();
    return Check("cudaStreamSynchronize", cudaStreamSynchronize(taken_));
  }

 private:
  OwnStreams& own_;
  cudaStream_t stream_ = nullptr;
  cudaStream_t taken_ = nullptr;
  bool ended_ = false;
};

// What a kernel may use while it launches its work.
class CudaExec final : public Exec {
 public:
  // `pool` is null where the device has no memory that is taken and given back in a stream's order.
  CudaExec(cudaStream_t stream, cudaMemPool_t pool, CudaLibraries* libraries) noexcept
      : stream_(stream), pool_(pool), libraries_(libraries) {}
  ~CudaExec() override {
    if (pool_ == nullptr && !scratch_.empty()) static_cast<void>(cudaStreamSynchronize(stream_));
    for (void* memory : scratch_) {
      static_cast<void>(pool_ != nullptr ? cudaFreeAsync(memory, stream_) : cudaFree(memory));
    }
  }

  // Work of the host's while it launches: there is one thread for it.
  void ParallelFor(int64_t count, int64_t /*cost*/, Range range, void* context) override {
    if (count > 0) range(context, 0, count);
  }

  Status Scratch(size_t bytes, void** memory) override {
    *memory = nullptr;
    if (bytes == 0) return Status();
    scratch_.reserve(scratch_.size() + 1);
    EP_RETURN_IF_ERROR(
        pool_ != nullptr
            ? Check("cudaMallocFromPoolAsync", cudaMallocFromPoolAsync(memory, bytes, pool_, stream_))
            : Check("cudaMalloc", cudaMalloc(memory, bytes)));
    scratch_.push_back(*memory);
    return Status();
  }

  void* Stream() const noexcept override { return stream_; }
  CudaLibraries* Libraries() noexcept override { return libraries_; }

 private:
  cudaStream_t stream_;
  cudaMemPool_t pool_;
  CudaLibraries* libraries_;
  std::vector<void*> scratch_;
};

class CudaRuntime final : public Runtime {
 public:
  explicit CudaRuntime(int device) noexcept : device_(device) {}
  ~CudaRuntime() override {
    const OnDevice here(device_);
    libraries_.reset();  // its handles go before their streams
    own_.reset();
    if (pool_ != nullptr) static_cast<void>(cudaMemPoolDestroy(pool_));
  }

  Status Open() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorInsufficientDriver) return NoDriver();
    EP_RETURN_IF_ERROR(Check("cudaGetDeviceCount", error));
    if (device_ >= count) return Failed("CUDA shows no device to this process");
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    EP_RETURN_IF_ERROR(CheckCapability());
    return OpenPool();
  }

  Status Allocate(size_t bytes, void** address) override {
    *address = nullptr;
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
<% if graph_capture %>
    const WhileCapturing capturing;
<% endif %>
    const cudaError_t error = cudaMalloc(address, bytes);
    if (error == cudaSuccess) return Status();
    *address = nullptr;
    return Check(("cudaMalloc of " + std::to_string(bytes) + " bytes").c_str(), error);
  }
  // cudaFree waits for the device.
  void Free(void* address) noexcept override {
<% if graph_capture %>
    if (address == nullptr || captures_.Defer(address)) return;
<% else %>
    if (address == nullptr) return;
<% endif %>
    const OnDevice here(device_);
    Forget(cudaFree(address));
  }

<% if host_accessible %>
  Status AllocateHost(size_t bytes, void** address) override {
    *address = nullptr;
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
<% if graph_capture %>
    const WhileCapturing capturing;
<% endif %>
    const cudaError_t error = cudaHostAlloc(address, bytes, cudaHostAllocPortable);
    if (error == cudaSuccess) return Status();
    *address = nullptr;
    return Check(("cudaHostAlloc of " + std::to_string(bytes) + " bytes").c_str(), error);
  }
  // cudaFreeHost waits for the device.
  void FreeHost(void* address) noexcept override {
    if (address == nullptr) return;
    const OnDevice here(device_);
<% if graph_capture %>
    const WhileCapturing capturing;
<% endif %>
    Forget(cudaFreeHost(address));
  }

<% endif %>
<% if memory_capacity or resource_accounting %>
  Status Capacity(uint64_t* total, uint64_t* available) override {
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    size_t all = 0;
    size_t free = 0;
    EP_RETURN_IF_ERROR(Check("cudaMemGetInfo", cudaMemGetInfo(&free, &all)));
    *total = all;
    *available = free;
    return Status();
  }

<% endif %>
  Status CopyToDevice(void* device, const void* host, size_t bytes, Stream stream) override {
<% if graph_capture %>
    EP_RETURN_IF_ERROR(CheckHostCopy("CopyToDevice", host, stream));
<% endif %>
    return Copy(device, host, bytes, stream);
  }
  Status CopyToHost(void* host, const void* device, size_t bytes, Stream stream) override {
<% if graph_capture %>
    EP_RETURN_IF_ERROR(CheckHostCopy("CopyToHost", host, stream));
<% endif %>
    return Copy(host, device, bytes, stream);
  }
  Status CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) override {
    return Copy(to, from, bytes, stream);
  }
  Status Fill(void* device, unsigned char value, size_t bytes, Stream stream) override {
    return Put(stream, [=](cudaStream_t queue) {
      return Check("cudaMemsetAsync", cudaMemsetAsync(device, value, bytes, queue));
    });
  }

  void* KernelAddress(const void* device) const noexcept override {
    return const_cast<void*>(device);
  }

  Status Launch(Stream stream, Work work) override {
    return Put(stream, [&](cudaStream_t queue) {
      static_cast<void>(cudaGetLastError());  // what failed before is not this work's fault
      CudaExec exec(queue, pool_, libraries_.get());
      return work(exec);
    });
  }

  Status CreateStream(Stream* stream) override {
    *stream = nullptr;
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    cudaStream_t made = nullptr;
    EP_RETURN_IF_ERROR(Check("cudaStreamCreateWithFlags",
                             cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking)));
    *stream = made;
    return Status();
  }
  void DestroyStream(Stream stream) noexcept override {
    if (stream == nullptr) return;
    const OnDevice here(device_);
    Forget(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
    libraries_->Forget(stream);
    Forget(cudaStreamDestroy(static_cast<cudaStream_t>(stream)));
  }
  Status Synchronize(Stream stream) override {
    EP_RETURN_IF_ERROR(CheckStream("Synchronize", stream));
<% if graph_capture %>
    EP_RETURN_IF_ERROR(captures_.Check("Synchronize", stream));
<% endif %>
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    return Check("cudaStreamSynchronize", cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
  }

  Status CreateEvent(Event* event) override {
    *event = nullptr;
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    cudaEvent_t made = nullptr;
    EP_RETURN_IF_ERROR(Check("cudaEventCreateWithFlags",
                             cudaEventCreateWithFlags(&made, cudaEventDisableTiming)));
    *event = made;
    return Status();
  }
  void DestroyEvent(Event event) noexcept override {
    if (event == nullptr) return;
    const OnDevice here(device_);
    Forget(cudaEventDestroy(static_cast<cudaEvent_t>(event)));
  }
  Status Record(Event event, Stream stream) override {
    EP_RETURN_IF_ERROR(CheckStream("Record", stream));
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    return Check("cudaEventRecord", cudaEventRecord(static_cast<cudaEvent_t>(event),
                                                    static_cast<cudaStream_t>(stream)));
  }
  Status WaitOnDevice(Event event, Stream stream) override {
    EP_RETURN_IF_ERROR(CheckStream("WaitOnDevice", stream));
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    return Check("cudaStreamWaitEvent", cudaStreamWaitEvent(static_cast<cudaStream_t>(stream),
                                                            static_cast<cudaEvent_t>(event), 0));
  }
  Status WaitOnHost(Event event) override {
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    return Check("cudaEventSynchronize", cudaEventSynchronize(static_cast<cudaEvent_t>(event)));
  }
<% if graph_capture %>

  Status BeginCapture(Stream stream) override {
    EP_RETURN_IF_ERROR(CheckStream("BeginCapture", stream));
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    EP_RETURN_IF_ERROR(Check("cudaStreamBeginCapture",
                             cudaStreamBeginCapture(static_cast<cudaStream_t>(stream),
                                                    cudaStreamCaptureModeThreadLocal)));
    captures_.Begin(stream);
    return Status();
  }
  Status EndCapture(Stream stream, Graph* graph) override {
    *graph = nullptr;
    EP_RETURN_IF_ERROR(CheckStream("EndCapture", stream));
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    cudaGraph_t recorded = nullptr;
    std::vector<void*> unused;
    Status status = captures_.End(stream, &unused);
    const Status ended = Check("cudaStreamEndCapture",
                               cudaStreamEndCapture(static_cast<cudaStream_t>(stream), &recorded));
    if (status.ok()) status = ended;
    cudaGraphExec_t made = nullptr;
    if (status.ok()) {
      status = Check("cudaGraphInstantiateWithFlags",
                     cudaGraphInstantiateWithFlags(&made, recorded, 0));
    }
    if (recorded != nullptr) Forget(cudaGraphDestroy(recorded));
    for (void* address : unused) Forget(cudaFree(address));
    if (status.ok()) *graph = made;
    return status;
  }
  Status Replay(Graph graph, Stream stream) override {
    EP_RETURN_IF_ERROR(CheckStream("Replay", stream));
    EP_RETURN_IF_ERROR(captures_.Check("Replay", stream));
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    return Check("cudaGraphLaunch", cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph),
                                                    static_cast<cudaStream_t>(stream)));
  }
  // Scratch memory within a graph is the graph's: CUDA keeps it until it is told not to.
  void DestroyGraph(Graph graph) noexcept override {
    if (graph == nullptr) return;
    const OnDevice here(device_);
    Forget(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)));
    Forget(cudaDeviceGraphMemTrim(device_));
  }
<% endif %>
<% if external_memory %>

  bool CanImport(MemoryHandle kind) const noexcept override {
    return CudaExternal::CanImport(kind);
  }
  bool CanImport(SemaphoreHandle kind) const noexcept override {
    return CudaExternal::CanImport(kind);
  }
  Status ImportMemory(MemoryHandle kind, void* handle, size_t bytes, void** address) override {
    *address = nullptr;
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    return external_.ImportMemory(kind, handle, bytes, address);
  }
  void ReleaseImported(void* address) noexcept override {
    if (address == nullptr) return;
    const OnDevice here(device_);
    external_.ReleaseMemory(address);
  }
  Status ImportSemaphore(SemaphoreHandle kind, void* handle, Semaphore* semaphore) override {
    *semaphore = nullptr;
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    return external_.ImportSemaphore(kind, handle, semaphore);
  }
  void ReleaseSemaphore(Semaphore semaphore) noexcept override {
    if (semaphore == nullptr) return;
    const OnDevice here(device_);
    external_.ReleaseSemaphore(semaphore);
  }
  Status WaitSemaphore(Semaphore semaphore, uint64_t value, Stream stream) override {
    EP_RETURN_IF_ERROR(CheckStream("WaitSemaphore", stream));
<% if graph_capture %>
    EP_RETURN_IF_ERROR(captures_.Check("WaitSemaphore", stream));
<% endif %>
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    return external_.Wait(semaphore, value, static_cast<cudaStream_t>(stream));
  }
  Status SignalSemaphore(Semaphore semaphore, uint64_t value, Stream stream) override {
    EP_RETURN_IF_ERROR(CheckStream("SignalSemaphore", stream));
<% if graph_capture %>
    EP_RETURN_IF_ERROR(captures_.Check("SignalSemaphore", stream));
<% endif %>
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    return external_.Signal(semaphore, value, static_cast<cudaStream_t>(stream));
  }
<% endif %>
<% if graphics_interop %>

  // CUDA joins a command queue only in a context that is made for it. This library works in the
  // device's primary one, as everybody who calls the CUDA runtime.
  Status AdoptQueue(GraphicsApi api, void* command_queue, Stream* stream) override {
    *stream = nullptr;
#if !defined(_WIN32)
    if (api == GraphicsApi::kD3d12) return NotImplemented("there is no D3D12 on this platform");
#endif
    if (command_queue == nullptr) return Status();
    return NotImplemented(std::string("CUDA streams cannot join a command queue of ") +
                          (api == GraphicsApi::kD3d12 ? "D3D12" : "Vulkan") +
                          ": leave it null, and order the work by semaphores");
  }
  void ReleaseQueue(Stream /*stream*/) noexcept override {}
<% endif %>

 private:
  // Of a call whose errors nobody can be told.
  static void Forget(cudaError_t error) noexcept {
    if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  }

  // For CUDA, null is the default stream.
  static Status CheckStream(const char* call, Stream stream) {
    if (stream != nullptr) return Status();
    return InvalidArgument(std::string("CudaRuntime::") + call + " without a stream");
  }

  // CUDA's text for both: there is no driver, or it is older than this library.
  static Status NoDriver() {
    int version = 0;
    static_cast<void>(cudaDriverGetVersion(&version));
    const char* call = version == 0 ? "cudaGetDeviceCount, without an NVIDIA driver"
                                    : "cudaGetDeviceCount, with too old an NVIDIA driver";
    return Check(call, cudaErrorInsufficientDriver);
  }

  // Puts work into a stream; without one, it has been done on return.
  template <class Function>
  Status Put(Stream stream, const Function& function) {
<% if graph_capture %>
    if (stream == nullptr) {
      EP_RETURN_IF_ERROR(captures_.Check("a copy, Fill or Launch", nullptr));
    }
<% endif %>
    const OnDevice here(device_);
    EP_RETURN_IF_ERROR(here.status());
    Turn turn(*own_);
    EP_RETURN_IF_ERROR(turn.Begin(stream));
    EP_RETURN_IF_ERROR(function(turn.stream()));
    return turn.End();
  }

<% if graph_capture %>
  // CUDA would read ordinary memory of the host at each replay, long after it has another owner.
  Status CheckHostCopy(const char* call, const void* host, Stream stream) {
    if (stream == nullptr) return Status();
    const OnDevice here(device_);
    cudaPointerAttributes attributes{};
    const cudaError_t error = cudaPointerGetAttributes(&attributes, host);
    if (error == cudaSuccess && attributes.type != cudaMemoryTypeUnregistered) return Status();
    Forget(error);
    const std::string what = std::string(call) + " with memory of the host that the device does not reach";
    return captures_.Check(what.c_str(), stream);
  }

<% endif %>
  // CUDA tells by the addresses which memory is whose.
  Status Copy(void* to, const void* from, size_t bytes, Stream stream) {
    return Put(stream, [=](cudaStream_t queue) {
      return Check("cudaMemcpyAsync", cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, queue));
    });
  }

  Status Attribute(cudaDeviceAttr attribute, int* value) const {
    *value = 0;
    return Check("cudaDeviceGetAttribute", cudaDeviceGetAttribute(value, attribute, device_));
  }

  // Device code for a newer device than this one cannot be run.
  Status CheckCapability() const {
#ifdef EP_CUDA_OLDEST
    int major = 0;
    int minor = 0;
    EP_RETURN_IF_ERROR(Attribute(cudaDevAttrComputeCapabilityMajor, &major));
    EP_RETURN_IF_ERROR(Attribute(cudaDevAttrComputeCapabilityMinor, &minor));
    const int found = 10 * major + minor;
    if (found < EP_CUDA_OLDEST) {
      return Failed("the CUDA device has compute capability " + std::to_string(found) +
                    "; this library is compiled for " + std::to_string(EP_CUDA_OLDEST) +
                    " and newer");
    }
#endif
    return Status();
  }

  // Scratch memory comes from a pool of our own, which keeps what kernels give back.
  Status OpenPool() {
    int pools = 0;
    EP_RETURN_IF_ERROR(Attribute(cudaDevAttrMemoryPoolsSupported, &pools));
    if (pools == 0) return Status();
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device_;
    EP_RETURN_IF_ERROR(Check("cudaMemPoolCreate", cudaMemPoolCreate(&pool_, &properties)));
    uint64_t kept = UINT64_MAX;
    return Check("cudaMemPoolSetAttribute",
                 cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &kept));
  }

  const int device_;
  std::unique_ptr<OwnStreams> own_ = std::make_unique<OwnStreams>();
<% if external_memory %>
  CudaExternal external_{&Check};
<% endif %>
<% if graph_capture %>
  Captures captures_;
<% endif %>
  cudaMemPool_t pool_ = nullptr;
  std::unique_ptr<CudaLibraries> libraries_ = MakeCudaLibraries();
};

}  // namespace

Status MakeRuntime(std::unique_ptr<Runtime>* runtime) {
  auto made = std::make_unique<CudaRuntime>(kDevice);
  EP_RETURN_IF_ERROR(made->Open());
  *runtime = std::move(made);
  return Status();
}

}  // namespace <%= ns %>
