// Memory and semaphores of other APIs against a made-up CUDA runtime.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "check.h"
#include "device/runtime.h"
#include "fake_cuda.h"
#include "fake_cuda_external.h"

namespace contoso_cuda::test {
namespace {

bool Has(const Status& status, const char* text) {
  return std::strstr(status.message(), text) != nullptr;
}

bool IsOpen(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

void* HandleOf(int descriptor) { return reinterpret_cast<void*>(static_cast<intptr_t>(descriptor)); }

// A device, a stream, and a descriptor of the caller's.
struct World {
  World() {
    ResetFake();
    External() = FakeExternal();
    CHECK(MakeRuntime(&runtime).ok());
    CHECK(runtime->CreateStream(&stream).ok());
    descriptor = open("/dev/null", O_RDWR);
  }
  ~World() {
    runtime->DestroyStream(stream);
    runtime.reset();
    close(descriptor);
    CHECK(CurrentDevice() == 1);
    for (const std::string& fault : Fake().faults) {
      std::fprintf(stderr, "%s\n", fault.c_str());
      CHECK(false);
    }
    CHECK(External().alive == 0 && External().used_after_end == 0);
    CHECK(Fake().memory.empty() && Fake().streams == 0 && Fake().events == 0);
  }
  Runtime* operator->() const { return runtime.get(); }

  std::unique_ptr<Runtime> runtime;
  Stream stream = nullptr;
  int descriptor = -1;
};

void TestKinds() {
  World world;
  CHECK(world->CanImport(MemoryHandle::kVulkanFd) && world->CanImport(SemaphoreHandle::kVulkanFd));
  void* address = &world;
  Semaphore semaphore = &world;
  for (const MemoryHandle kind : {MemoryHandle::kD3d12Resource, MemoryHandle::kD3d12Heap,
                                  MemoryHandle::kVulkanWin32}) {
    CHECK(!world->CanImport(kind));
    const Status refused = world->ImportMemory(kind, HandleOf(world.descriptor), 64, &address);
    CHECK(refused.code() == StatusCode::kNotImplemented && address == nullptr);
  }
  for (const SemaphoreHandle kind : {SemaphoreHandle::kD3d12Fence, SemaphoreHandle::kVulkanWin32}) {
    CHECK(!world->CanImport(kind));
    const Status refused = world->ImportSemaphore(kind, HandleOf(world.descriptor), &semaphore);
    CHECK(refused.code() == StatusCode::kNotImplemented && semaphore == nullptr);
  }
}

void TestMemory() {
  World world;
  void* address = nullptr;
  CHECK(world->ImportMemory(MemoryHandle::kVulkanFd, HandleOf(world.descriptor), 64, &address).ok());
  const cudaExternalMemoryHandleDesc& memory = External().memories.at(0);
  CHECK(memory.type == cudaExternalMemoryHandleTypeOpaqueFd && memory.size == 64);
  CHECK(memory.flags == 0);
  CHECK(memory.handle.fd != world.descriptor && IsOpen(memory.handle.fd));
  CHECK(External().buffers.at(0).offset == 0 && External().buffers.at(0).size == 64);
  CHECK(address != nullptr && world->KernelAddress(address) == address);

  // What is queued may use it.
  const std::string text = "text";
  CHECK(world->CopyToDevice(address, text.data(), text.size(), world.stream).ok());
  world->ReleaseImported(address);
  world->ReleaseImported(address);  // which is gone
  world->ReleaseImported(nullptr);
  const std::vector<std::string>& calls = Fake().calls;
  CHECK(calls.back() == "cudaDestroyExternalMemory" && calls.end()[-2] == "cudaFree");
  CHECK(Fake().Count("cudaDestroyExternalMemory") == 1);
  CHECK(!IsOpen(memory.handle.fd) && IsOpen(world.descriptor));
}

// Of the descriptors that failed imports were given, none is left open.
void TestFailures() {
  World world;
  const int next = dup(world.descriptor);
  close(next);
  void* address = nullptr;
  Semaphore semaphore = nullptr;
  const auto import_memory = [&](void* handle) {
    return world->ImportMemory(MemoryHandle::kVulkanFd, handle, 64, &address);
  };
  const auto import_semaphore = [&](void* handle) {
    return world->ImportSemaphore(SemaphoreHandle::kVulkanFd, handle, &semaphore);
  };
  void* handle = HandleOf(world.descriptor);
  for (const char* call : {"cudaImportExternalMemory", "cudaExternalMemoryGetMappedBuffer"}) {
    Fake().failures[call] = cudaErrorInvalidValue;
    CHECK(Has(import_memory(handle), call) && address == nullptr);
  }
  Fake().failures["cudaImportExternalSemaphore"] = cudaErrorInvalidValue;
  CHECK(Has(import_semaphore(handle), "cudaImportExternalSemaphore") && semaphore == nullptr);
  for (const int wrong : {-1, 900}) {
    for (const Status& status : {import_memory(HandleOf(wrong)), import_semaphore(HandleOf(wrong))}) {
      CHECK(status.code() == StatusCode::kInvalidArgument);
      CHECK(Has(status, ("importing file descriptor " + std::to_string(wrong)).c_str()));
    }
  }
  const int again = dup(world.descriptor);
  CHECK(again == next);
  close(again);
  CHECK(External().alive == 0);
}

void TestSemaphores() {
  World world;
  Semaphore semaphore = nullptr;
  CHECK(world->ImportSemaphore(SemaphoreHandle::kVulkanFd, HandleOf(world.descriptor), &semaphore)
            .ok());
  const cudaExternalSemaphoreHandleDesc& from = External().semaphores.at(0);
  CHECK(from.type == cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd);
  CHECK(from.handle.fd != world.descriptor && IsOpen(from.handle.fd));

  CHECK(world->SignalSemaphore(semaphore, 5, world.stream).ok() && External().value == 0);
  CHECK(world->WaitSemaphore(semaphore, 5, world.stream).ok());
  CHECK(world->Synchronize(world.stream).ok());
  CHECK(External().value == 5 && !External().is_early);

  CHECK(world->WaitSemaphore(semaphore, 6, nullptr).code() == StatusCode::kInvalidArgument);
  CHECK(world->SignalSemaphore(semaphore, 6, nullptr).code() == StatusCode::kInvalidArgument);
  Fake().failures["cudaWaitExternalSemaphoresAsync"] = cudaErrorInvalidValue;
  CHECK(Has(world->WaitSemaphore(semaphore, 1, world.stream), "cudaWaitExternalSemaphoresAsync"));
  Fake().failures["cudaSignalExternalSemaphoresAsync"] = cudaErrorInvalidValue;
  CHECK(Has(world->SignalSemaphore(semaphore, 1, world.stream), "cudaSignalExternalSemaphores"));

  // CUDA would take it from under a stream that has not come to it yet.
  Stream other = nullptr;
  CHECK(world->CreateStream(&other).ok());
  CHECK(world->SignalSemaphore(semaphore, 7, world.stream).ok());
  CHECK(world->WaitSemaphore(semaphore, 1, other).ok());
  world->ReleaseSemaphore(semaphore);
  world->ReleaseSemaphore(nullptr);
  CHECK(External().value == 7 && Fake().Count("cudaDestroyExternalSemaphore") == 1);
  CHECK(!IsOpen(from.handle.fd) && IsOpen(world.descriptor));
  world->DestroyStream(other);
}

}  // namespace
}  // namespace contoso_cuda::test

int main() {
  using namespace contoso_cuda::test;  // NOLINT: for the list below
  TestKinds();
  TestMemory();
  TestFailures();
  TestSemaphores();
  return Verdict();
}
