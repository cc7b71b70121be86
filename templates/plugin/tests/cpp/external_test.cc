<%= banner %>
// What device/runtime.h promises of other APIs, their memory and their semaphores, without ONNX
// Runtime. The other API is this test: it has files of shared memory.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>

#include "check.h"
#include "device/runtime.h"
#include "device_harness.h"

#if !defined(_WIN32)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace <%= ns %>::test {
namespace {

bool IsInvalid(const Status& status, const char* part) {
  return status.code() == StatusCode::kInvalidArgument && Says(status, part);
}

#if defined(_WIN32)

void TestNothingIsImported() {
  Device device;
  void* address = nullptr;
  Semaphore semaphore = nullptr;
  CHECK(!device->CanImport(MemoryHandle::kVulkanFd));
  CHECK(!device->CanImport(SemaphoreHandle::kVulkanFd));
  CHECK(!device->ImportMemory(MemoryHandle::kVulkanFd, &device, 8, &address).ok());
  CHECK(!device->ImportSemaphore(SemaphoreHandle::kVulkanFd, &device, &semaphore).ok());
}

#else

// A file of shared memory, and what others see of it.
class File {
 public:
  explicit File(size_t bytes) : bytes_(bytes), file_(std::tmpfile()) {
    CHECK(file_ != nullptr && ftruncate(fileno(file_), static_cast<off_t>(bytes)) == 0);
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file_), 0);
    CHECK(mapped != MAP_FAILED);
    memory_ = mapped;
  }
  ~File() {
    munmap(memory_, bytes_);
    if (file_ != nullptr) std::fclose(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void* handle() const {
    return reinterpret_cast<void*>(static_cast<intptr_t>(fileno(file_)));
  }
  // The caller has imported it.
  void Close() {
    std::fclose(file_);
    file_ = nullptr;
  }
  int* numbers() const { return static_cast<int*>(memory_); }
  volatile uint64_t& value() const { return *static_cast<volatile uint64_t*>(memory_); }

 private:
  const size_t bytes_;
  std::FILE* file_;
  void* memory_ = nullptr;
};

void* Import(Device& device, const File& file, size_t bytes) {
  void* address = nullptr;
  IsOk(device->ImportMemory(MemoryHandle::kVulkanFd, file.handle(), bytes, &address));
  return address;
}

Semaphore Import(Device& device, const File& file) {
  Semaphore semaphore = nullptr;
  IsOk(device->ImportSemaphore(SemaphoreHandle::kVulkanFd, file.handle(), &semaphore));
  return semaphore;
}

void TestKinds() {
  Device device;
  const File file(Device::kBytes);
  void* address = &device;
  Semaphore semaphore = &device;
  CHECK(device->CanImport(MemoryHandle::kVulkanFd));
  CHECK(device->CanImport(SemaphoreHandle::kVulkanFd));
  CHECK(!device->CanImport(MemoryHandle::kD3d12Heap));
  CHECK(!device->CanImport(SemaphoreHandle::kD3d12Fence));
  CHECK(device->ImportMemory(MemoryHandle::kVulkanWin32, file.handle(), 8, &address).code() ==
        StatusCode::kNotImplemented);
  CHECK(device->ImportSemaphore(SemaphoreHandle::kVulkanWin32, file.handle(), &semaphore).code() ==
        StatusCode::kNotImplemented);
  CHECK(address == nullptr && semaphore == nullptr);
}

void TestMemoryIsShared() {
  Device device;
  File file(Device::kBytes);
  auto* address = static_cast<int*>(Import(device, file, Device::kBytes));
  file.Close();
  file.numbers()[3] = 33;
  IsOk(device->CopyOnDevice(device.memory, address, Device::kBytes, device.first));
  IsOk(device->Fill(address + 5, 0xFF, sizeof(int), device.first));
  IsOk(device->Synchronize(device.first));
  CHECK(device.Read()[3] == 33 && device.Read()[5] == 0);
  CHECK(file.numbers()[5] == -1 && file.numbers()[4] == 0 && file.numbers()[6] == 0);
  CHECK(device->KernelAddress(address) != nullptr && device->KernelAddress(address) != address);
  device->ReleaseImported(address);
  device->ReleaseImported(nullptr);
  CHECK(file.numbers()[3] == 33);
}

void TestMemoryIsWaitedFor() {
  Device device;
  const File file(Device::kBytes);
  void* address = Import(device, file, Device::kBytes);
  Gate gate(*device, device.first);
  IsOk(device->Fill(address, 1, Device::kBytes, device.first));
  Call call([&] { device->ReleaseImported(address); });
  device.Tick();
  CHECK(!call.HasReturned() && file.numbers()[0] == 0);
  gate.Open();
  CHECK(call.Returns());
  CHECK(file.numbers()[0] == 0x01010101);
}

void TestWhatCannotBeImported() {
  Device device;
  const File file(16);
  void* address = nullptr;
  Semaphore semaphore = nullptr;
  const auto memory = [&](void* handle, size_t bytes) {
    return device->ImportMemory(MemoryHandle::kVulkanFd, handle, bytes, &address);
  };
  CHECK(IsInvalid(memory(file.handle(), 17), "it has 16 bytes, and 17 are asked for"));
  CHECK(IsInvalid(memory(file.handle(), SIZE_MAX), "are asked for"));
  void* wrong = reinterpret_cast<void*>(intptr_t{-1});
  CHECK(IsInvalid(memory(wrong, 8), "not a file descriptor"));
  CHECK(IsInvalid(device->ImportSemaphore(SemaphoreHandle::kVulkanFd, wrong, &semaphore), "-1"));
  const File small(7);
  CHECK(IsInvalid(device->ImportSemaphore(SemaphoreHandle::kVulkanFd, small.handle(), &semaphore),
                  "it has 7 bytes, and 8 are asked for"));
  CHECK(address == nullptr && semaphore == nullptr);
}

void TestQueuesWaitAndSignal() {
  Log log;
  Device device;
  const File file(sizeof(uint64_t));
  const Semaphore semaphore = Import(device, file);
  IsOk(device->WaitSemaphore(semaphore, 3, device.first));
  IsOk(device->Launch(device.first, log.Adds(2)));
  IsOk(device->SignalSemaphore(semaphore, 4, device.first));
  IsOk(device->WaitSemaphore(semaphore, 4, device.second));
  IsOk(device->Launch(device.second, log.Adds(3)));
  file.value() = 2;
  device.Tick();
  log.Add(1);
  CHECK(file.value() == 2);
  file.value() = 5;  // more than is waited for
  IsOk(device->Synchronize(device.first));
  IsOk(device->Synchronize(device.second));
  const Numbers entries = log.entries();
  CHECK(entries.size() == 3 && entries[0] == 1);
  CHECK(file.value() == 4);

  // Queued work has its own part in a semaphore.
  IsOk(device->WaitSemaphore(semaphore, 6, device.first));
  device->ReleaseSemaphore(semaphore);
  device->ReleaseSemaphore(nullptr);
  CHECK(IsInvalid(device->WaitSemaphore(semaphore, 0, device.first), "not a semaphore"));
  CHECK(IsInvalid(device->SignalSemaphore(semaphore, 9, device.first), "not a semaphore"));
  file.value() = 6;
  IsOk(device->Synchronize(device.first));
}

void TestNothingIsSignalledAfterAnError() {
  Device device;
  const File file(sizeof(uint64_t));
  const Semaphore semaphore = Import(device, file);
  IsOk(device->Launch(device.first, Fails("the first")));
  IsOk(device->SignalSemaphore(semaphore, 1, device.first));
  CHECK(Says(device->Synchronize(device.first), "the first"));
  CHECK(file.value() == 0);
  device->ReleaseSemaphore(semaphore);
}
<% if graph_capture %>

void TestSemaphoresAreNotCaptured() {
  Device device;
  const File file(sizeof(uint64_t));
  const Semaphore semaphore = Import(device, file);
  Graph graph = nullptr;
  for (const bool waits : {true, false}) {
    IsOk(device->BeginCapture(device.first));
    CHECK(IsInvalid(waits ? device->WaitSemaphore(semaphore, 0, device.first)
                          : device->SignalSemaphore(semaphore, 1, device.first),
                    "Semaphore cannot be part of a captured graph"));
    CHECK(!device->EndCapture(device.first, &graph).ok());
  }
  IsOk(device->SignalSemaphore(semaphore, 2, device.first));
  IsOk(device->Synchronize(device.first));
  CHECK(file.value() == 2);
  device->ReleaseSemaphore(semaphore);
}
<% endif %>

// The device closes with all that was imported.
void TestWhatIsLeft() {
  Device device;
  const File file(Device::kBytes);
  Import(device, file, Device::kBytes);
  IsOk(device->SignalSemaphore(Import(device, file), 1, device.first));
  device.Close();
  CHECK(file.value() == 1);
}

#endif
<% if graphics_interop %>

void TestCommandQueues() {
  Log log;
  Device device;
  Stream stream = &device;
  IsOk(device->AdoptQueue(GraphicsApi::kVulkan, nullptr, &stream));
  CHECK(stream == nullptr);
  CHECK(IsInvalid(device->AdoptQueue(GraphicsApi::kD3d12, &device, &stream), "not a stream"));
  IsOk(device->AdoptQueue(GraphicsApi::kD3d12, device.second, &stream));
  Gate gate(*device, device.second);
  IsOk(device->Launch(device.second, log.Adds(1)));
  IsOk(device->Launch(stream, log.Adds(2)));
  IsOk(device->Launch(device.second, log.Adds(3)));
  gate.Open();
  IsOk(device->Synchronize(stream));
  CHECK((log.entries() == Numbers{1, 2, 3}));
  device->ReleaseQueue(stream);
  device->ReleaseQueue(nullptr);
  IsOk(device->Synchronize(device.second));
}
<% endif %>

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;
#if defined(_WIN32)
  TestNothingIsImported();
#else
  TestKinds();
  TestMemoryIsShared();
  TestMemoryIsWaitedFor();
  TestWhatCannotBeImported();
  TestQueuesWaitAndSignal();
  TestNothingIsSignalledAfterAnError();
<% if graph_capture %>
  TestSemaphoresAreNotCaptured();
<% endif %>
  TestWhatIsLeft();
#endif
<% if graphics_interop %>
  TestCommandQueues();
<% endif %>
  return Verdict();
}
