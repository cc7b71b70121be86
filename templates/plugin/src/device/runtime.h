<%= banner %>
#pragma once

#include <cstddef>
<% if memory_capacity or resource_accounting or external_memory %>
#include <cstdint>
<% endif %>
<% if streams %>
#include <functional>
<% endif %>
#include <memory>

<% if streams %>
#include "gen/api/exec.h"
<% endif %>
#include "gen/api/status.h"

namespace <%= ns %> {

<% if streams %>
// A queue of the device's, under the device's own handle, such as a cudaStream_t: what is put into
// it is done in that order. Null: no queue.
using Stream = void*;

// A point in a queue, under the device's own handle.
using Event = void*;

// Work for a queue.
using Work = std::function<Status(Exec& exec)>;
<% if graph_capture %>

// Work that was recorded, under the device's own handle, such as a cudaGraphExec_t.
using Graph = void*;
<% endif %>
<% if external_memory %>

// How other APIs hand out memory and semaphores: as a HANDLE of Windows, or ("Fd") as a file
// descriptor. Semaphores are those with a value that rises: fences of D3D12, timelines of Vulkan.
enum class MemoryHandle { kD3d12Resource, kD3d12Heap, kVulkanWin32, kVulkanFd };
enum class SemaphoreHandle { kD3d12Fence, kVulkanWin32, kVulkanFd };

// An imported semaphore, under the device's own handle, such as a cudaExternalSemaphore_t.
using Semaphore = void*;
<% endif %>
<% if graphics_interop %>

// APIs whose work on the device may be in one order with ours.
enum class GraphicsApi { kD3d12 = 1, kVulkan = 2 };
<% endif %>

// The device. Addresses are its own: ORT keeps them, offsets them and hands them back, but must
// never follow one. Every call may come from several threads at once.
//
// A call that takes a stream puts its work into that queue and returns: until the queue has come so
// far, all memory that the work is about stays as it is, the host's as well. Without a stream the
// work has been done when the call returns, and does not wait for any queue.
<% else %>
// The device's memory. Addresses are the device's: ORT keeps them, offsets them and hands them
// back, but must never follow one. Every call may come from several threads at once; a copy has
// been made when its call returns.
<% endif %>
class Runtime {
 public:
  Runtime& operator=(Runtime&&) = delete;  // and so no copies
  virtual ~Runtime() = default;

  // `bytes` is not 0. The address is fit for any element type, and for a vector of them.
  virtual Status Allocate(size_t bytes, void** address) = 0;
<% if streams %>
  // Takes null, too. What is in a queue may still use the memory: waits for it first.
<% else %>
  // Takes null, too.
<% endif %>
  virtual void Free(void* address) noexcept = 0;

<% if host_accessible %>
  // Memory that host code may touch and that the device reaches, too: pinned, on most devices. All
  // calls below take it for the device's.<% if streams %> FreeHost waits as Free does.<% endif %>

  virtual Status AllocateHost(size_t bytes, void** address) = 0;
<% if streams %>
  // As Free.
<% endif %>
  virtual void FreeHost(void* address) noexcept = 0;

<% endif %>
<% if memory_capacity or resource_accounting %>
  // In bytes: all of the device's memory, and what nobody uses of it.
  virtual Status Capacity(uint64_t* total, uint64_t* available) = 0;

<% endif %>
  // `bytes` is not 0; `device`, `from` and `to` may lie within an allocation.
<% if streams %>
  virtual Status CopyToDevice(void* device, const void* host, size_t bytes, Stream stream) = 0;
  virtual Status CopyToHost(void* host, const void* device, size_t bytes, Stream stream) = 0;
  virtual Status CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) = 0;
  // Sets every byte to `value`.
  virtual Status Fill(void* device, unsigned char value, size_t bytes, Stream stream) = 0;
<% else %>
  virtual Status CopyToDevice(void* device, const void* host, size_t bytes) = 0;
  virtual Status CopyToHost(void* host, const void* device, size_t bytes) = 0;
  virtual Status CopyOnDevice(void* to, const void* from, size_t bytes) = 0;
<% endif %>

  // What kernel code uses for a device address: the same address where kernels run on the device.
  // Null when the address is not the device's.
  virtual void* KernelAddress(const void* device) const noexcept = 0;
<% if streams %>

  // Runs a kernel. Where kernels are code of the host, `work` is called when its turn has come, on
  // the queue's own thread; where they launch code of the device, at once, with exec.Stream() to
  // launch on. It owns all that it needs, save for the memory of tensors.
  virtual Status Launch(Stream stream, Work work) = 0;

  virtual Status CreateStream(Stream* stream) = 0;
  // Waits for what is in it.
  virtual void DestroyStream(Stream stream) noexcept = 0;
  // Waits for all that is in the queue, and returns the first error of it that nobody has seen yet.
  // After an error the rest of what was queued has not been done.
  virtual Status Synchronize(Stream stream) = 0;

  virtual Status CreateEvent(Event* event) = 0;
  virtual void DestroyEvent(Event event) noexcept = 0;
  // Sets `event` to the end of the queue as it is now.
  virtual Status Record(Event event, Stream stream) = 0;
  // What is put into `stream` from now on is done after `event`, as it is recorded now; without a
  // record, at once. An error before the event that nobody has seen is one of `stream`, too.
  virtual Status WaitOnDevice(Event event, Stream stream) = 0;
  // Returns when `event` has come, as Synchronize does for the part of the queue before it.
  virtual Status WaitOnHost(Event event) = 0;
<% endif %>
<% if graph_capture %>

  // From now on what is put into the queue is recorded, and not done, until EndCapture makes a graph
  // of it, on the same thread. All that is in the queue has been waited for.
  //
  // What cannot be recorded is an error that names the call; the capture has failed then, and
  // EndCapture returns its first error instead of a graph:
  // - waiting for the queue, or on the host for an event that is recorded in it;
  // - copies from or to memory of the host that the device does not reach;
  // - calls without a stream by the thread that captures, other than for memory;
<% if external_memory %>
  // - waiting for semaphores, and signalling them;
<% endif %>
  // - a queue's wait for an event, if one of them belongs to the capture and the other does not.
  virtual Status BeginCapture(Stream stream) = 0;
  virtual Status EndCapture(Stream stream, Graph* graph) = 0;
  // Puts all of it into the queue, on the memory that it was recorded with.
  virtual Status Replay(Graph graph, Stream stream) = 0;
  // Takes null, too. It has been waited for.
  virtual void DestroyGraph(Graph graph) noexcept = 0;
<% endif %>
<% if external_memory %>

  virtual bool CanImport(MemoryHandle kind) const noexcept = 0;
  virtual bool CanImport(SemaphoreHandle kind) const noexcept = 0;

  // Memory of another API becomes the device's as well, without a copy: all calls above take its
  // addresses. `bytes` is all of it, and not 0. `handle` is not null; a file descriptor is its
  // number. The caller keeps it, and may close it when the call has returned.
  virtual Status ImportMemory(MemoryHandle kind, void* handle, size_t bytes, void** address) = 0;
  // Waits as Free does. The memory stays the other API's. Takes null, too.
  virtual void ReleaseImported(void* address) noexcept = 0;

  // `handle` is as for memory.
  virtual Status ImportSemaphore(SemaphoreHandle kind, void* handle, Semaphore* semaphore) = 0;
  // Takes null, too. What is in a queue may still use it: then it stays for that, or is waited for.
  virtual void ReleaseSemaphore(Semaphore semaphore) noexcept = 0;
  // What is put into `stream` from now on is done once the semaphore has this value or a greater
  // one. There is always a stream.
  virtual Status WaitSemaphore(Semaphore semaphore, uint64_t value, Stream stream) = 0;
  // Gives it the value when all that is in the queue has been done; after an error there, not.
  virtual Status SignalSemaphore(Semaphore semaphore, uint64_t value, Stream stream) = 0;
<% endif %>
<% if graphics_interop %>

  // The stream that stands for a command queue of a graphics API, such as an ID3D12CommandQueue:
  // what is put into the stream and into the queue is done in one order. Null where there is no
  // command queue: then streams are like any others. An error for an API that the device knows
  // nothing of.
  virtual Status AdoptQueue(GraphicsApi api, void* command_queue, Stream* stream) = 0;
  // Nobody uses the stream any more; the command queue stays. Takes null, too.
  virtual void ReleaseQueue(Stream stream) noexcept = 0;
<% endif %>
};

// Opens the device.
Status MakeRuntime(std::unique_ptr<Runtime>* runtime);

}  // namespace <%= ns %>
