<%= banner %>
// The device, yours to write: while Open fails, the library loads and offers no device. Nothing
// else has to change. Each function says what it stands for; device/runtime.h says what it promises.

#include <string>
#include <utility>

#include "device/runtime.h"

namespace <%= ns %> {
namespace {

class StubRuntime final : public Runtime {
 public:
  // Write: load the driver, open the device.
  Status Open() { return Missing("Open"); }

  // Write: take device memory, as cudaMalloc does.
  Status Allocate(size_t /*bytes*/, void** address) override {
    *address = nullptr;
    return Missing("Allocate");
  }
<% if streams %>
  // Write: wait for what is in the queues, and give it back; cudaFree does both.
<% else %>
  // Write: give it back.
<% endif %>
  void Free(void* /*address*/) noexcept override {}
<% if host_accessible %>

  // Write: take pinned memory of the host, as cudaHostAlloc does.
  Status AllocateHost(size_t /*bytes*/, void** address) override {
    *address = nullptr;
    return Missing("AllocateHost");
  }
  // Write: give it back.
  void FreeHost(void* /*address*/) noexcept override {}
<% endif %>
<% if memory_capacity or resource_accounting %>

  // Write: ask the driver, as cudaMemGetInfo does.
  Status Capacity(uint64_t* total, uint64_t* available) override {
    *total = 0;
    *available = 0;
    return Missing("Capacity");
  }
<% endif %>

<% if streams %>
  // Write: put the copy into the queue, as cudaMemcpyAsync does; without a stream, wait for it.
  // Memory that the device does not reach goes through a buffer of yours that it does.
  Status CopyToDevice(void* /*device*/, const void* /*host*/, size_t /*bytes*/,
                      Stream /*stream*/) override {
    return Missing("CopyToDevice");
  }
  Status CopyToHost(void* /*host*/, const void* /*device*/, size_t /*bytes*/,
                    Stream /*stream*/) override {
    return Missing("CopyToHost");
  }
  Status CopyOnDevice(void* /*to*/, const void* /*from*/, size_t /*bytes*/,
                      Stream /*stream*/) override {
    return Missing("CopyOnDevice");
  }
  // Write: the same for setting bytes, as cudaMemsetAsync does.
  Status Fill(void* /*device*/, unsigned char /*value*/, size_t /*bytes*/,
              Stream /*stream*/) override {
    return Missing("Fill");
  }
<% else %>
  // Write: copy, and wait for the end of it.
  Status CopyToDevice(void* /*device*/, const void* /*host*/, size_t /*bytes*/) override {
    return Missing("CopyToDevice");
  }
  Status CopyToHost(void* /*host*/, const void* /*device*/, size_t /*bytes*/) override {
    return Missing("CopyToHost");
  }
  Status CopyOnDevice(void* /*to*/, const void* /*from*/, size_t /*bytes*/) override {
    return Missing("CopyOnDevice");
  }
<% endif %>

  // Write: where kernels run on the device, return the address as it is.
  void* KernelAddress(const void* /*device*/) const noexcept override { return nullptr; }
<% if streams %>

  // Write: where kernels launch device code, call `work` at once, with an Exec whose Stream() is
  // the queue's native handle and whose Scratch() is device memory. Where they are code of the
  // host, call it when its turn has come, as a host function of the queue.
  Status Launch(Stream /*stream*/, Work /*work*/) override { return Missing("Launch"); }

  // Write: make a queue, as cudaStreamCreateWithFlags does with cudaStreamNonBlocking: it must not
  // wait for work that has no stream.
  Status CreateStream(Stream* stream) override {
    *stream = nullptr;
    return Missing("CreateStream");
  }
  // Write: wait for what is in it, and close it.
  void DestroyStream(Stream /*stream*/) noexcept override {}
  // Write: wait for all that is in it, as cudaStreamSynchronize does; the first error counts.
  Status Synchronize(Stream /*stream*/) override { return Missing("Synchronize"); }

  // Write: make an event, as cudaEventCreateWithFlags does with cudaEventDisableTiming.
  Status CreateEvent(Event* event) override {
    *event = nullptr;
    return Missing("CreateEvent");
  }
  // Write: give it back; those that wait for it still do.
  void DestroyEvent(Event /*event*/) noexcept override {}
  // Write: put the event into the queue, as cudaEventRecord does.
  Status Record(Event /*event*/, Stream /*stream*/) override { return Missing("Record"); }
  // Write: let the queue wait for it, as cudaStreamWaitEvent does: the host goes on.
  Status WaitOnDevice(Event /*event*/, Stream /*stream*/) override {
    return Missing("WaitOnDevice");
  }
  // Write: let the host wait for it, as cudaEventSynchronize does.
  Status WaitOnHost(Event /*event*/) override { return Missing("WaitOnHost"); }
<% endif %>
<% if graph_capture %>

  // Write: record what is put into the queue from now on, as cudaStreamBeginCapture does with
  // cudaStreamCaptureModeThreadLocal.
  Status BeginCapture(Stream /*stream*/) override { return Missing("BeginCapture"); }
  // Write: end that, and make what Replay launches, as cudaGraphInstantiate does.
  Status EndCapture(Stream /*stream*/, Graph* graph) override {
    *graph = nullptr;
    return Missing("EndCapture");
  }
  // Write: put it into the queue, as cudaGraphLaunch does.
  Status Replay(Graph /*graph*/, Stream /*stream*/) override { return Missing("Replay"); }
  // Write: give it back.
  void DestroyGraph(Graph /*graph*/) noexcept override {}
<% endif %>
<% if external_memory %>

  // Write: name the kinds of handles that the driver knows.
  bool CanImport(MemoryHandle /*kind*/) const noexcept override { return false; }
  bool CanImport(SemaphoreHandle /*kind*/) const noexcept override { return false; }
  // Write: map it, as cudaImportExternalMemory and cudaExternalMemoryGetMappedBuffer do. Import a
  // duplicate of a descriptor that the driver would take over.
  Status ImportMemory(MemoryHandle /*kind*/, void* /*handle*/, size_t /*bytes*/,
                      void** address) override {
    *address = nullptr;
    return Missing("ImportMemory");
  }
  // Write: wait for what is in the queues, and give it back.
  void ReleaseImported(void* /*address*/) noexcept override {}
  // Write: import it, as cudaImportExternalSemaphore does.
  Status ImportSemaphore(SemaphoreHandle /*kind*/, void* /*handle*/,
                         Semaphore* semaphore) override {
    *semaphore = nullptr;
    return Missing("ImportSemaphore");
  }
  // Write: give it back, once no queue is before it.
  void ReleaseSemaphore(Semaphore /*semaphore*/) noexcept override {}
  // Write: put a wait into the queue, as cudaWaitExternalSemaphoresAsync does.
  Status WaitSemaphore(Semaphore /*semaphore*/, uint64_t /*value*/, Stream /*stream*/) override {
    return Missing("WaitSemaphore");
  }
  // Write: put a signal into the queue, as cudaSignalExternalSemaphoresAsync does.
  Status SignalSemaphore(Semaphore /*semaphore*/, uint64_t /*value*/, Stream /*stream*/) override {
    return Missing("SignalSemaphore");
  }
<% endif %>
<% if graphics_interop %>

  // Write: make a stream in the command queue's order; without a command queue, leave it null.
  Status AdoptQueue(GraphicsApi /*api*/, void* /*command_queue*/, Stream* stream) override {
    *stream = nullptr;
    return Missing("AdoptQueue");
  }
  // Write: give the stream back.
  void ReleaseQueue(Stream /*stream*/) noexcept override {}
<% endif %>

 private:
  static Status Missing(const char* function) {
    return NotImplemented(std::string("StubRuntime::") + function +
                          " is not written yet (src/device/stub_runtime.cc)");
  }
};

}  // namespace

Status MakeRuntime(std::unique_ptr<Runtime>* runtime) {
  auto made = std::make_unique<StubRuntime>();
  EP_RETURN_IF_ERROR(made->Open());
  *runtime = std::move(made);
  return Status();
}

}  // namespace <%= ns %>
