<%= banner %>
// A device simulated on the host, as strict as a real one: touching a device address from the host
// is a crash at once, not a slow or a wrong result later.
//
// Two ranges of address space of the same size are reserved. A device address lies in the first,
// which nobody may read or write; its bytes are at the same offset in the second, which only copies
// and kernels use.
<% if streams %>
//
// Work is done as late as on a real device: each stream is a queue with a thread of its own. What
// touches memory too early, or does not wait, finds that out here.
<% endif %>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
<% if host_accessible %>
#include <new>
<% endif %>
#include <utility>

<% if external_memory %>
#include "device/host_external.h"
<% endif %>
<% if streams %>
#include "device/host_queue.h"
<% endif %>
#include "device/runtime.h"
<% if streams %>
#if defined(EP_TEST_HOOKS)
#include "test_hooks.h"
#endif
<% endif %>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <windows.h>
#undef CreateEvent
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace <%= ns %> {
namespace {

// Address space only: memory is used page by page, as it is allocated.
constexpr size_t kCapacity = sizeof(void*) > 4 ? size_t{1} << 36 : size_t{1} << 28;

#if defined(_WIN32)

size_t PageSize() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}
void* Reserve() { return VirtualAlloc(nullptr, kCapacity, MEM_RESERVE, PAGE_NOACCESS); }
void Unreserve(void* range) { VirtualFree(range, 0, MEM_RELEASE); }
bool Commit(void* pages, size_t bytes) {
  return VirtualAlloc(pages, bytes, MEM_COMMIT, PAGE_READWRITE) != nullptr;
}
void Decommit(void* pages, size_t bytes) { VirtualFree(pages, bytes, MEM_DECOMMIT); }

#else

size_t PageSize() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
void* Map(void* where, size_t bytes, int flags) {
  void* range = mmap(where, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return range != MAP_FAILED ? range : nullptr;
}
void* Reserve() { return Map(nullptr, kCapacity, MAP_NORESERVE); }
void Unreserve(void* range) { munmap(range, kCapacity); }
bool Commit(void* pages, size_t bytes) {
  return mprotect(pages, bytes, PROT_READ | PROT_WRITE) == 0;
}
// Mapped anew, so that the pages go back to the system and the next owner finds zeros.
void Decommit(void* pages, size_t bytes) { Map(pages, bytes, MAP_FIXED | MAP_NORESERVE); }

#endif

<% if host_accessible %>
constexpr std::align_val_t kHostAlignment{256};  // what an arena wants of its regions

<% endif %>
class HostRuntime final : public Runtime {
 public:
  ~HostRuntime() override {
<% if streams %>
    queues_.DestroyAll();
    if (handles_ != nullptr) Unreserve(handles_);
<% endif %>
    if (device_ != nullptr) Unreserve(device_);
    if (host_ != nullptr) Unreserve(host_);
  }

  Status Init() {
    page_ = PageSize();
    device_ = static_cast<char*>(Reserve());
    host_ = static_cast<char*>(Reserve());
<% if streams %>
    handles_ = static_cast<char*>(Reserve());
    if (device_ == nullptr || host_ == nullptr || handles_ == nullptr) {
<% else %>
    if (device_ == nullptr || host_ == nullptr) {
<% endif %>
      return Failed("the simulated device: no address space for its memory");
    }
    free_[0] = kCapacity;
<% if streams %>
    queues_.Init(handles_, kCapacity);
<% endif %>
    return Status();
  }

  Status Allocate(size_t bytes, void** address) override {
    *address = nullptr;
    if (bytes > kCapacity) return Failed("the simulated device has less memory than that");
    // Whole pages, and one more without access: running over the end is a crash, too.
    const size_t used = (bytes + page_ - 1) / page_ * page_;
    const size_t needed = used + page_;
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto hole = free_.begin(); hole != free_.end(); ++hole) {
      const auto [offset, size] = *hole;
      if (size < needed) continue;
      if (!Commit(host_ + offset, used)) return Failed("the simulated device is out of memory");
      used_[offset] = needed;  // the only step that takes memory: without any, nothing has changed
      auto rest = free_.extract(hole);
      rest.key() = offset + needed;
      rest.mapped() = size - needed;
      if (size > needed) free_.insert(std::move(rest));
      *address = device_ + offset;
      return Status();
    }
    return Failed("the simulated device is out of memory");
  }

  void Free(void* address) noexcept override {
    if (address == nullptr) return;
<% if streams %>
    queues_.WaitForAll();
<% endif %>
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto block = used_.find(static_cast<size_t>(static_cast<char*>(address) - device_));
    if (block == used_.end()) return;
    auto [offset, size] = *block;
    Decommit(host_ + offset, size);
    auto entry = used_.extract(block);  // moves over, so that giving back takes no memory
    // Joins the hole with its neighbours.
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && offset + size == next->first) {
      size += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += size;
        return;
      }
    }
    entry.mapped() = size;
    free_.insert(std::move(entry));
  }

<% if host_accessible %>
  // Ordinary memory, of which the device knows where it is.
  Status AllocateHost(size_t bytes, void** address) override {
    *address = ::operator new(bytes, kHostAlignment, std::nothrow);
    if (*address == nullptr) return Failed("the host is out of memory");
    const std::lock_guard<std::mutex> lock(mutex_);
    shared_.emplace(reinterpret_cast<uintptr_t>(*address), bytes);
    return Status();
  }

  void FreeHost(void* address) noexcept override {
<% if streams %>
    if (address == nullptr) return;
    queues_.WaitForAll();
<% endif %>
    const std::lock_guard<std::mutex> lock(mutex_);
    if (shared_.erase(reinterpret_cast<uintptr_t>(address)) == 0) return;
    ::operator delete(address, kHostAlignment);
  }

<% endif %>
<% if memory_capacity or resource_accounting %>
  Status Capacity(uint64_t* total, uint64_t* available) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    *total = kCapacity;
    *available = 0;
    for (const auto& [offset, size] : free_) *available += size;
    return Status();
  }

<% endif %>
<% if streams %>
  Status CopyToDevice(void* device, const void* host, size_t bytes, Stream stream) override {
<% if graph_capture %>
    EP_RETURN_IF_ERROR(CheckCopy("CopyToDevice", host, stream));
<% endif %>
    return Copy(KernelAddress(device), host, bytes, stream);
  }
  Status CopyToHost(void* host, const void* device, size_t bytes, Stream stream) override {
<% if graph_capture %>
    EP_RETURN_IF_ERROR(CheckCopy("CopyToHost", host, stream));
<% endif %>
    return Copy(host, KernelAddress(device), bytes, stream);
  }
  Status CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) override {
    return Copy(KernelAddress(to), KernelAddress(from), bytes, stream);
  }
  Status Fill(void* device, unsigned char value, size_t bytes, Stream stream) override {
    void* to = KernelAddress(device);
    if (to == nullptr) return InvalidArgument("filling what is not the device's");
    return Launch(stream, [=](Exec&) {
      std::memset(to, value, bytes);
      return Status();
    });
  }
<% else %>
  Status CopyToDevice(void* device, const void* host, size_t bytes) override {
    return Copy(KernelAddress(device), host, bytes);
  }
  Status CopyToHost(void* host, const void* device, size_t bytes) override {
    return Copy(host, KernelAddress(device), bytes);
  }
  Status CopyOnDevice(void* to, const void* from, size_t bytes) override {
    return Copy(KernelAddress(to), KernelAddress(from), bytes);
  }
<% endif %>

  void* KernelAddress(const void* device) const noexcept override {
    const auto offset =
        reinterpret_cast<uintptr_t>(device) - reinterpret_cast<uintptr_t>(device_);
<% if host_accessible %>
    if (offset < kCapacity) return host_ + offset;
    const auto address = reinterpret_cast<uintptr_t>(device);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto after = shared_.upper_bound(address);
    if (after == shared_.begin()) return nullptr;
    const auto [begin, size] = *std::prev(after);
    return address - begin < size ? const_cast<void*>(device) : nullptr;
  }
<% else %>
    return offset < kCapacity ? host_ + offset : nullptr;
  }
<% endif %>
<% if streams %>

  Status Launch(Stream stream, Work work) override {
    if (work == nullptr) return InvalidArgument("no work to launch");
<% if graph_capture %>
    if (stream == nullptr) {
      EP_RETURN_IF_ERROR(queues_.CheckStreamless("a copy, Fill or Launch"));
      return RunWork(work);
    }
<% else %>
    if (stream == nullptr) return RunWork(work);
<% endif %>
    return queues_.Push(stream, std::move(work));
  }

  Status CreateStream(Stream* stream) override { return queues_.Create(stream); }
  void DestroyStream(Stream stream) noexcept override { queues_.Destroy(stream); }
  Status Synchronize(Stream stream) override {
    return stream != nullptr ? queues_.Synchronize(stream) : Status();
  }

  Status CreateEvent(Event* event) override { return queues_.CreateEvent(event); }
  void DestroyEvent(Event event) noexcept override { queues_.DestroyEvent(event); }
  Status Record(Event event, Stream stream) override { return queues_.Record(event, stream); }
  Status WaitOnDevice(Event event, Stream stream) override {
    return queues_.WaitOnDevice(event, stream);
  }
  Status WaitOnHost(Event event) override { return queues_.WaitOnHost(event); }
<% endif %>
<% if graph_capture %>

  Status BeginCapture(Stream stream) override { return queues_.BeginCapture(stream); }
  Status EndCapture(Stream stream, Graph* graph) override {
    return queues_.EndCapture(stream, graph);
  }
  Status Replay(Graph graph, Stream stream) override { return queues_.Replay(graph, stream); }
  void DestroyGraph(Graph graph) noexcept override { queues_.DestroyGraph(graph); }
<% endif %>
<% if external_memory %>

  bool CanImport(MemoryHandle kind) const noexcept override {
    return SharedFile::kIsThere && kind == MemoryHandle::kVulkanFd;
  }
  bool CanImport(SemaphoreHandle kind) const noexcept override {
    return SharedFile::kIsThere && kind == SemaphoreHandle::kVulkanFd;
  }
  // The file takes the place of memory that was allocated for it.
  Status ImportMemory(MemoryHandle kind, void* handle, size_t bytes, void** address) override {
    *address = nullptr;
    SharedFile file;
    void* memory = nullptr;
    if (!CanImport(kind)) return NotImplemented("the simulated device imports files of shared memory");
    EP_RETURN_IF_ERROR(file.Find(handle, bytes));
    EP_RETURN_IF_ERROR(Allocate(bytes, &memory));
    void* where = KernelAddress(memory);
    const Status mapped = file.Map(bytes, &where);
    if (!mapped.ok()) {
      Free(memory);
      return mapped;
    }
    *address = memory;
    return Status();
  }
  void ReleaseImported(void* address) noexcept override { Free(address); }

  Status ImportSemaphore(SemaphoreHandle kind, void* handle, Semaphore* semaphore) override {
    *semaphore = nullptr;
    if (!CanImport(kind)) return NotImplemented("the simulated device imports files of shared memory");
    return semaphores_.Import(handle, semaphore);
  }
  void ReleaseSemaphore(Semaphore semaphore) noexcept override { semaphores_.Release(semaphore); }
  Status WaitSemaphore(Semaphore semaphore, uint64_t value, Stream stream) override {
    Work wait;
<% if graph_capture %>
    EP_RETURN_IF_ERROR(queues_.CheckCall("WaitSemaphore", stream));
<% endif %>
    EP_RETURN_IF_ERROR(semaphores_.Wait(semaphore, value, &wait));
    return queues_.Push(stream, std::move(wait));
  }
  Status SignalSemaphore(Semaphore semaphore, uint64_t value, Stream stream) override {
    Work signal;
<% if graph_capture %>
    EP_RETURN_IF_ERROR(queues_.CheckCall("SignalSemaphore", stream));
<% endif %>
    EP_RETURN_IF_ERROR(semaphores_.Signal(semaphore, value, &signal));
    return queues_.Push(stream, std::move(signal));
  }
<% endif %>
<% if graphics_interop %>

  // A stream of this device plays the command queue, whatever the API, and stands for itself.
  Status AdoptQueue(GraphicsApi /*api*/, void* command_queue, Stream* stream) override {
    *stream = nullptr;
    if (command_queue == nullptr) return Status();
    EP_RETURN_IF_ERROR(queues_.Push(command_queue, [](Exec&) { return Status(); }));
    *stream = command_queue;
    return Status();
  }
  void ReleaseQueue(Stream /*stream*/) noexcept override {}
<% endif %>

 private:
<% if graph_capture %>
  // Of what is recorded, the device does the copies, at any time.
  Status CheckCopy(const char* call, const void* host, Stream stream) {
    if (stream == nullptr || KernelAddress(host) != nullptr) return Status();
    return queues_.CheckHostCopy(call, stream);
  }
<% endif %>
<% if streams %>
  Status Copy(void* to, const void* from, size_t bytes, Stream stream) {
    if (to == nullptr || from == nullptr) return InvalidArgument("a copy of what is not the device's");
    return Launch(stream, [=](Exec&) {
      std::memmove(to, from, bytes);
      return Status();
    });
  }
<% else %>
  static Status Copy(void* to, const void* from, size_t bytes) {
    if (to == nullptr || from == nullptr) return InvalidArgument("a copy of what is not the device's");
    std::memmove(to, from, bytes);
    return Status();
  }
<% endif %>

  size_t page_ = 0;
  char* device_ = nullptr;
  char* host_ = nullptr;
<% if streams %>
  char* handles_ = nullptr;  // of streams and events
<% endif %>
<% if host_accessible %>
  mutable std::mutex mutex_;
  std::map<size_t, size_t> free_;  // holes: offset and size
  std::map<size_t, size_t> used_;
  std::map<uintptr_t, size_t> shared_;  // what AllocateHost gave
<% else %>
  std::mutex mutex_;
  std::map<size_t, size_t> free_;  // holes: offset and size
  std::map<size_t, size_t> used_;
<% endif %>
<% if external_memory %>
  HostSemaphores semaphores_;
<% endif %>
<% if streams %>
  HostQueues queues_;
<% endif %>
};

}  // namespace

Status MakeRuntime(std::unique_ptr<Runtime>* runtime) {
  auto made = std::make_unique<HostRuntime>();
  EP_RETURN_IF_ERROR(made->Init());
  *runtime = std::move(made);
<% if streams %>
#if defined(EP_TEST_HOOKS)
  *runtime = WithTestHooks(std::move(*runtime));
#endif
<% endif %>
  return Status();
}

}  // namespace <%= ns %>
