// device/cuda_runtime.cc against a made-up CUDA runtime.
#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#include "device/runtime.h"
#include "fake_cuda.h"

namespace contoso_cuda::test {
namespace {

bool Has(const Status& status, const char* text) {
  return std::strstr(status.message(), text) != nullptr;
}

std::unique_ptr<Runtime> Open() {
  ResetFake();
  std::unique_ptr<Runtime> runtime;
  const Status opened = MakeRuntime(&runtime);
  CHECK_THAT(opened.ok(), std::string(opened.message()));
  return runtime;
}

// Nothing wrong was asked for, and the caller's device is the caller's.
void CheckManners() {
  CHECK(CurrentDevice() == 1);
  for (const std::string& fault : Fake().faults) CHECK_THAT(false, fault);
  Fake().faults.clear();
}

// All that was taken has been given back.
void CheckClean() {
  CheckManners();
  const FakeCuda& fake = Fake();
  CHECK(fake.streams == 0 && fake.events == 0 && fake.pools_alive == 0 && fake.memory.empty());
}

void TestNoDevice() {
  std::unique_ptr<Runtime> runtime;
  FakeCuda& fake = ResetFake();
  fake.driver = cudaErrorInsufficientDriver;
  fake.driver_version = 0;
  Status opened = MakeRuntime(&runtime);
  CHECK(opened.code() == StatusCode::kFailed && Has(opened, "cudaGetDeviceCount"));
  CHECK(Has(opened, "without an NVIDIA driver: what CUDA says (cudaErrorInsufficientDriver)"));
  fake.driver_version = 12020;
  opened = MakeRuntime(&runtime);
  CHECK(Has(opened, "with too old an NVIDIA driver: what CUDA says"));
  fake.driver = cudaErrorNoDevice;
  opened = MakeRuntime(&runtime);
  CHECK(Has(opened, "cudaGetDeviceCount: what CUDA says"));
  fake.driver = cudaSuccess;
  fake.devices = 0;
  CHECK(!MakeRuntime(&runtime).ok());
  fake.devices = 2;
  fake.capability = 75;
  opened = MakeRuntime(&runtime);
  CHECK(Has(opened, "compute capability 75; this library is compiled for 80 and newer"));
  fake.capability = 80;
  fake.failures["cudaMemPoolSetAttribute"] = cudaErrorInvalidValue;
  CHECK(Has(MakeRuntime(&runtime), "cudaMemPoolSetAttribute"));
  fake.failures["cudaSetDevice"] = cudaErrorDevicesUnavailable;
  CHECK(Has(MakeRuntime(&runtime), "cudaSetDevice"));
  CHECK(runtime == nullptr);
  CheckManners();
  CHECK(fake.pools_alive == 0);
}

void TestMemory() {
  auto runtime = Open();
  FakeCuda& fake = Fake();
  void* address = nullptr;
  void* pinned = nullptr;
  CHECK(runtime->Allocate(100, &address).ok() && address != nullptr);
  CHECK(runtime->AllocateHost(100, &pinned).ok() && pinned != nullptr);
  CHECK(runtime->KernelAddress(address) == address);
  runtime->Free(nullptr);
  runtime->FreeHost(nullptr);
  runtime->Free(address);
  runtime->FreeHost(pinned);
  CheckManners();

  fake.failures = {{"cudaMalloc", cudaErrorMemoryAllocation},
                   {"cudaHostAlloc", cudaErrorMemoryAllocation}};
  address = &fake;
  Status status = runtime->Allocate(12345, &address);
  CHECK(status.code() == StatusCode::kFailed && address == nullptr);
  CHECK(Has(status, "cudaMalloc of 12345 bytes: what CUDA says (cudaErrorMemoryAllocation)"));
  CHECK(cudaGetLastError() == cudaSuccess);
  status = runtime->AllocateHost(77, &pinned);
  CHECK(Has(status, "cudaHostAlloc of 77 bytes: what CUDA says") && pinned == nullptr);
  runtime.reset();
  CheckClean();
}

void TestCopies() {
  auto runtime = Open();
  Stream stream = nullptr;
  CHECK(runtime->CreateStream(&stream).ok());
  const std::string text = "twelve bytes";
  std::string device(text.size(), ' ');
  std::string back(text.size(), ' ');
  // Queued: not done before somebody waits.
  CHECK(runtime->CopyToDevice(device.data(), text.data(), text.size(), stream).ok());
  CHECK(runtime->CopyOnDevice(back.data(), device.data(), text.size(), stream).ok());
  CHECK(back != text && !Fake().Called("cudaStreamSynchronize"));
  // Without a stream: done on return, without waiting for that one.
  std::string other(text.size(), ' ');
  CHECK(runtime->CopyToHost(other.data(), text.data(), text.size(), nullptr).ok());
  CHECK(other == text && back != text);
  CHECK(runtime->Fill(other.data(), 'x', 2, nullptr).ok());
  CHECK(other == "xxelve bytes" && back != text);
  CHECK(runtime->Fill(other.data(), 'y', 1, stream).ok() && other[0] == 'x');
  CHECK(Fake().streams_made == 2);  // the second, for all calls that came without one
  CHECK(runtime->Synchronize(stream).ok());
  CHECK(back == text && other[0] == 'y');
  Fake().failures["cudaMemcpyAsync"] = cudaErrorIllegalAddress;
  const Status lost = runtime->CopyToHost(other.data(), text.data(), 1, nullptr);
  CHECK(lost.code() == StatusCode::kDeviceLost && Has(lost, "cudaMemcpyAsync: what CUDA says"));
  Fake().failures["cudaStreamSynchronize"] = cudaErrorLaunchFailure;
  CHECK(runtime->Synchronize(stream).code() == StatusCode::kDeviceLost);
  Fake().failures["cudaStreamSynchronize"] = cudaErrorLaunchFailure;
  CHECK(!runtime->CopyToHost(other.data(), text.data(), 1, nullptr).ok());
  CheckManners();
  runtime->DestroyStream(stream);
  CHECK(Fake().forgotten == 1);
  runtime->DestroyStream(nullptr);
  runtime.reset();
  CheckClean();
}

void TestLaunch(bool pools) {
  ResetFake().pools = pools;
  std::unique_ptr<Runtime> runtime;
  CHECK(MakeRuntime(&runtime).ok());
  CHECK(Fake().kept == (pools ? UINT64_MAX : 0));
  Stream stream = nullptr;
  CHECK(runtime->CreateStream(&stream).ok());
  std::string seen = "old";
  const std::string wanted = "new";
  const auto before = Fake().memory.size();
  const Work work = [&](Exec& exec) {
    CHECK(exec.Stream() == stream && exec.Libraries() != nullptr && CurrentDevice() == 0);
    CHECK(cudaGetLastError() == cudaSuccess);  // what others left is not this work's
    void* none = &seen;
    CHECK(exec.Scratch(0, &none).ok() && none == nullptr);
    void* first = nullptr;
    void* second = nullptr;
    EP_RETURN_IF_ERROR(exec.Scratch(8, &first));
    EP_RETURN_IF_ERROR(exec.Scratch(8, &second));
    CHECK(first != second);
    std::vector<int> counted(5);
    ParallelFor(exec, 5, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++counted[static_cast<size_t>(i)];
    });
    CHECK(counted == std::vector<int>(5, 1));
    const auto queue = static_cast<cudaStream_t>(exec.Stream());
    cudaMemcpyAsync(first, wanted.data(), 3, cudaMemcpyDefault, queue);
    cudaMemcpyAsync(seen.data(), first, 3, cudaMemcpyDefault, queue);
    return Status();
  };
  LeaveError(cudaErrorInvalidValue);
  CHECK(runtime->Launch(stream, work).ok());
  if (pools) {  // the scratch memory is there until the queue has come so far
    CHECK(seen == "old" && Fake().memory.size() == before + 2);
    CHECK(!Fake().Called("cudaStreamSynchronize") && Fake().Count("cudaFreeAsync") == 2);
  } else {
    CHECK(seen == "new" && Fake().Count("cudaFree") == 2);
    const auto& calls = Fake().calls;
    CHECK(calls[calls.size() - 3] == "cudaStreamSynchronize");
  }
  CHECK(runtime->Synchronize(stream).ok());
  CHECK(seen == "new" && Fake().memory.size() == before);
  CheckManners();

  // Without a stream, on one of our own, which is waited for.
  std::string own = "old";
  std::vector<void*> used;
  const Work copy = [&](Exec& exec) {
    used.push_back(exec.Stream());
    cudaMemcpyAsync(own.data(), wanted.data(), 3, cudaMemcpyDefault,
                    static_cast<cudaStream_t>(exec.Stream()));
    return Status();
  };
  CHECK(runtime->Launch(nullptr, copy).ok());
  CHECK(own == "new" && used[0] != nullptr && used[0] != stream);
  // Nobody waits for another's: a call within a call has another stream.
  CHECK(runtime->Launch(nullptr, [&](Exec& exec) {
    used.push_back(exec.Stream());
    return runtime->Launch(nullptr, copy);
  }).ok());
  CHECK(used[1] == used[0] && used[2] != used[1]);

  // What fails comes back at once, as it is; and no scratch memory is left.
  CHECK(Has(runtime->Launch(stream, [](Exec& exec) {
    void* memory = nullptr;
    EP_RETURN_IF_ERROR(exec.Scratch(8, &memory));
    return NotImplemented("not this one");
  }), "not this one"));
  Fake().failures["cudaMallocFromPoolAsync"] = cudaErrorMemoryAllocation;
  Fake().failures["cudaMalloc"] = cudaErrorMemoryAllocation;
  const Status full = runtime->Launch(nullptr, [](Exec& exec) {
    void* memory = nullptr;
    return exec.Scratch(8, &memory);
  });
  CHECK(Has(full, pools ? "cudaMallocFromPoolAsync: " : "cudaMalloc: "));
  // An exception passes, and leaves nothing behind either.
  bool thrown = false;
  try {
    static_cast<void>(runtime->Launch(nullptr, [](Exec& exec) -> Status {
      void* memory = nullptr;
      static_cast<void>(exec.Scratch(8, &memory));
      throw 1;
    }));
  } catch (int) {
    thrown = true;
  }
  CHECK(thrown);
  runtime->DestroyStream(stream);
  runtime.reset();
  CheckClean();
}

void TestEvents() {
  auto runtime = Open();
  Stream one = nullptr;
  Stream two = nullptr;
  Event event = nullptr;
  CHECK(runtime->CreateStream(&one).ok() && runtime->CreateStream(&two).ok());
  CHECK(runtime->CreateEvent(&event).ok());
  CHECK(runtime->WaitOnHost(event).ok() && runtime->WaitOnDevice(event, two).ok());
  std::string a = "a";
  const std::string b = "b";
  const std::string c = "c";
  CHECK(runtime->CopyToHost(a.data(), b.data(), 1, one).ok());
  CHECK(runtime->Record(event, one).ok());
  CHECK(runtime->CopyToHost(a.data(), c.data(), 1, one).ok());
  CHECK(runtime->WaitOnDevice(event, two).ok() && a == "a");
  CHECK(runtime->Synchronize(two).ok() && a == "b");  // as far as the event, no further
  CHECK(runtime->Record(event, one).ok() && runtime->WaitOnHost(event).ok() && a == "c");

  // Without a stream these would be about the default stream.
  CHECK(runtime->Record(event, nullptr).code() == StatusCode::kInvalidArgument);
  CHECK(runtime->WaitOnDevice(event, nullptr).code() == StatusCode::kInvalidArgument);
  CHECK(runtime->Synchronize(nullptr).code() == StatusCode::kInvalidArgument);
  Fake().failures["cudaEventCreateWithFlags"] = cudaErrorMemoryAllocation;
  Event none = &a;
  CHECK(!runtime->CreateEvent(&none).ok() && none == nullptr);
  Fake().failures["cudaStreamCreateWithFlags"] = cudaErrorMemoryAllocation;
  Stream no_stream = &a;
  CHECK(!runtime->CreateStream(&no_stream).ok() && no_stream == nullptr);
  Fake().failures["cudaEventSynchronize"] = cudaErrorIllegalAddress;
  CHECK(runtime->WaitOnHost(event).code() == StatusCode::kDeviceLost);
  runtime->DestroyEvent(event);
  runtime->DestroyEvent(nullptr);
  runtime->DestroyStream(one);
  runtime->DestroyStream(two);
  runtime.reset();
  CheckClean();
}

}  // namespace
}  // namespace contoso_cuda::test

int main() {
  using namespace contoso_cuda::test;  // NOLINT: for the list below
  TestNoDevice();
  TestMemory();
  TestCopies();
  TestLaunch(true);
  TestLaunch(false);
  TestEvents();
  return Verdict();
}
