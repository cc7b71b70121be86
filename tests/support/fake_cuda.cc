#include "fake_cuda.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <set>

#include "device/cuda_libraries.h"

namespace {

constexpr int kOurs = 0;  // the device of the runtime under test

FakeCuda fake;
int current = 1;
cudaError_t last = cudaSuccess;

}  // namespace

struct CUstream_st {
  std::deque<std::function<void()>> queue;
  size_t done = 0;
  size_t put = 0;

  void RunTo(size_t end) {
    while (done < end) {
      auto work = std::move(queue.front());
      queue.pop_front();
      ++done;
      work();
    }
  }
};

struct CUevent_st {
  cudaStream_t stream = nullptr;
  size_t end = 0;
};

struct CUmemPoolHandle_st {};

namespace {

std::set<cudaStream_t> streams;
CUmemPoolHandle_st pool;

cudaError_t Failing(const std::string& name) {
  const auto found = fake.failures.find(name);
  if (found == fake.failures.end()) return cudaSuccess;
  const cudaError_t error = found->second;
  fake.failures.erase(found);
  return last = error;
}

// Of what works on the current device.
cudaError_t Note(const std::string& name) {
  fake.calls.push_back(name);
  if (current != kOurs) fake.faults.push_back(name + " on device " + std::to_string(current));
  return Failing(name);
}

bool IsStream(const std::string& name, cudaStream_t stream) {
  if (stream != nullptr && streams.count(stream) != 0) return true;
  fake.faults.push_back(name + (stream == nullptr ? " on the default stream" : " on no stream"));
  return false;
}

cudaError_t Put(const std::string& name, cudaStream_t stream, std::function<void()> work) {
  if (const cudaError_t error = Note(name)) return error;
  if (!IsStream(name, stream)) return last = cudaErrorInvalidResourceHandle;
  stream->queue.push_back(std::move(work));
  ++stream->put;
  return cudaSuccess;
}

cudaError_t Take(void** address, size_t bytes) {
  *address = std::malloc(bytes);
  fake.memory[*address] = bytes;
  return cudaSuccess;
}

void GiveBack(const std::string& name, void* address) {
  if (fake.memory.erase(address) == 0) fake.faults.push_back(name + " of what is not there");
  std::free(address);
}

}  // namespace

bool FakeCuda::Called(const std::string& name) const { return Count(name) != 0; }
size_t FakeCuda::Count(const std::string& name) const {
  return static_cast<size_t>(std::count(calls.begin(), calls.end(), name));
}

FakeCuda& ResetFake() {
  fake = FakeCuda();
  current = 1;
  last = cudaSuccess;
  return fake;
}
FakeCuda& Fake() { return fake; }
int CurrentDevice() { return current; }
void LeaveError(cudaError_t error) { last = error; }
cudaError_t NoteCall(const std::string& name) { return Note(name); }
cudaError_t PutCall(const std::string& name, cudaStream_t stream, std::function<void()> work) {
  return Put(name, stream, std::move(work));
}

namespace contoso_cuda {

class FakeLibraries final : public CudaLibraries {
 public:
  void Forget(void* stream) noexcept override {
    // Must be told while the stream is there.
    if (streams.count(static_cast<cudaStream_t>(stream)) != 0) ++fake.forgotten;
  }
};

std::unique_ptr<CudaLibraries> MakeCudaLibraries() { return std::make_unique<FakeLibraries>(); }

}  // namespace contoso_cuda

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  if (fake.driver != cudaSuccess) return last = fake.driver;  // leaves *count as it is
  *count = fake.devices;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = fake.driver_version;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current;
  return Failing("cudaGetDevice");
}
cudaError_t cudaSetDevice(int device) {
  if (const cudaError_t error = Failing("cudaSetDevice")) return error;
  current = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor: *value = fake.capability / 10; break;
    case cudaDevAttrComputeCapabilityMinor: *value = fake.capability % 10; break;
    case cudaDevAttrMemoryPoolsSupported: *value = fake.pools ? 1 : 0; break;
    default: fake.faults.push_back("an unknown attribute");
  }
  return Failing("cudaDeviceGetAttribute");
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = last;
  last = cudaSuccess;
  return error;
}
const char* cudaGetErrorString(cudaError_t) { return "what CUDA says"; }
const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorMemoryAllocation     ? "cudaErrorMemoryAllocation"
         : error == cudaErrorInsufficientDriver ? "cudaErrorInsufficientDriver"
                                                : "cudaErrorOther";
}

cudaError_t cudaMalloc(void** address, size_t bytes) {
  if (const cudaError_t error = Note("cudaMalloc")) return error;
  return Take(address, bytes);
}
cudaError_t cudaFree(void* address) {
  // Waits for the device.
  for (cudaStream_t stream : streams) stream->RunTo(stream->put);
  const cudaError_t error = Note("cudaFree");
  GiveBack("cudaFree", address);
  return error;
}
cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned int) {
  if (const cudaError_t error = Note("cudaHostAlloc")) return error;
  return Take(address, bytes);
}
cudaError_t cudaFreeHost(void* address) {
  for (cudaStream_t stream : streams) stream->RunTo(stream->put);
  const cudaError_t error = Note("cudaFreeHost");
  GiveBack("cudaFreeHost", address);
  return error;
}
cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
  *available = 3;
  *total = 5;
  return Note("cudaMemGetInfo");
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* made, const cudaMemPoolProps*) {
  *made = &pool;
  ++fake.pools_alive;
  return Note("cudaMemPoolCreate");
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) {
  --fake.pools_alive;
  return Note("cudaMemPoolDestroy");
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
  std::memcpy(&fake.kept, value, sizeof(fake.kept));
  return Note("cudaMemPoolSetAttribute");
}
cudaError_t cudaMallocFromPoolAsync(void** address, size_t bytes, cudaMemPool_t,
                                    cudaStream_t stream) {
  if (const cudaError_t error = Put("cudaMallocFromPoolAsync", stream, [] {})) return error;
  return Take(address, bytes);
}
cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  return Put("cudaFreeAsync", stream, [=] { GiveBack("cudaFreeAsync", address); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (kind != cudaMemcpyDefault) fake.faults.push_back("a copy that says whose memory it is");
  return Put("cudaMemcpyAsync", stream, [=] { std::memmove(to, from, bytes); });
}
cudaError_t cudaMemsetAsync(void* address, int value, size_t bytes, cudaStream_t stream) {
  return Put("cudaMemsetAsync", stream, [=] { std::memset(address, value, bytes); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* made, unsigned int flags) {
  if (const cudaError_t error = Note("cudaStreamCreateWithFlags")) return error;
  if (flags != cudaStreamNonBlocking) fake.faults.push_back("a stream that waits for another");
  *made = new CUstream_st;
  streams.insert(*made);
  ++fake.streams;
  ++fake.streams_made;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const cudaError_t error = Note("cudaStreamDestroy");
  if (!IsStream("cudaStreamDestroy", stream)) return last = cudaErrorInvalidResourceHandle;
  if (stream->done != stream->put) fake.faults.push_back("destroys a stream at work");
  streams.erase(stream);
  delete stream;
  --fake.streams;
  return error;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const cudaError_t error = Note("cudaStreamSynchronize");
  if (!IsStream("cudaStreamSynchronize", stream)) return last = cudaErrorInvalidResourceHandle;
  stream->RunTo(stream->put);
  return error;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  const CUevent_st as_is = *event;
  return Put("cudaStreamWaitEvent", stream, [=] {
    if (as_is.stream != nullptr) as_is.stream->RunTo(as_is.end);
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* made, unsigned int flags) {
  if (flags != cudaEventDisableTiming) fake.faults.push_back("an event that takes the time");
  if (const cudaError_t error = Note("cudaEventCreateWithFlags")) return error;
  *made = new CUevent_st;
  ++fake.events;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  --fake.events;
  delete event;
  return Note("cudaEventDestroy");
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const cudaError_t error = Note("cudaEventRecord")) return error;
  if (!IsStream("cudaEventRecord", stream)) return last = cudaErrorInvalidResourceHandle;
  *event = {stream, stream->put};
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (event->stream != nullptr) event->stream->RunTo(event->end);
  return Note("cudaEventSynchronize");
}

}  // extern "C"
