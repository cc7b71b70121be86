<%= banner %>
#include "test_hooks.h"

#include <chrono>
#include <condition_variable>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "abi/export.h"

namespace <%= ns %> {
namespace {

constexpr int64_t kUnknownStream = -3;

const std::set<std::string>& StreamCounters() {
  static const std::set<std::string> names = {
      "launches",     "copies", "copies_to_device", "copies_to_host", "copies_on_device",
      "copied_bytes", "fills",  "records",          "device_waits",   "synchronizations",
<% if graph_capture %>
      "queued",       "begun",  "captures",         "replays"};
<% else %>
      "queued",       "begun"};
<% endif %>
  return names;
}

const std::set<std::string>& DeviceCounters() {
  static const std::set<std::string> names = {
      "host_waits", "allocations", "frees", "host_allocations", "host_frees", "left"};
  return names;
}

const std::set<std::string>& Calls() {
  static const std::set<std::string> names = {
      "allocate", "allocate_host", "copy",         "fill",   "launch",      "work",
<% if graph_capture %>
      "begin_capture", "end_capture", "replay",
<% endif %>
<% if external_memory %>
      "import", "semaphore_wait", "semaphore_signal",
<% endif %>
      "record",   "create_stream", "create_event", "device_wait", "host_wait", "synchronize"};
  return names;
}

// What is alive on a device.
struct LiveStream {
  const Runtime* device;
  int64_t number;
};
struct LiveBlock {
  const Runtime* device;
  int64_t bytes;
  bool is_host;
};

struct Gate {
  uint64_t delay_us = 0;
  bool is_held = false;
};

// What the hooks set and count, in this process.
class Hooks {
 public:
  // Never destroyed: queues may still be at work when the process ends.
  static Hooks& Instance() {
    static Hooks* const hooks = new Hooks;
    return *hooks;
  }

  int64_t StreamCount() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return stream_count_;
  }

  int64_t FindStream(const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (handle == nullptr) return kEpNoStream;
    const auto found = streams_.find(handle);
    return found != streams_.end() ? found->second.number : kUnknownStream;
  }

  void AddStream(const Runtime* device, const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    streams_[handle] = {device, stream_count_};
    gates_[stream_count_] = all_;
    ++stream_count_;
  }
  void RemoveStream(const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    streams_.erase(handle);
  }

  void AddEvent(const Runtime* device, const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    events_[handle] = device;
  }
  void RemoveEvent(const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    events_.erase(handle);
  }

  void AddBlock(const void* address, const LiveBlock& block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_[address] = block;
    ++device_[block.is_host ? "host_allocations" : "allocations"];
  }
  void RemoveBlock(const void* address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) return;
    ++device_[found->second.is_host ? "host_frees" : "frees"];
    blocks_.erase(found);
  }

<% if graph_capture %>
  void AddGraph(const Runtime* device, const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    graphs_[handle] = device;
  }
  void RemoveGraph(const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    graphs_.erase(handle);
  }

<% endif %>
<% if external_memory %>
  void AddImport(const Runtime* device, const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    imports_[handle] = device;
  }
  void RemoveImport(const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    imports_.erase(handle);
  }

<% endif %>
  // The end of a device, and of what is left on it.
  void Close(const Runtime* device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    int64_t& left = device_["left"];
    left += EraseIf(streams_, [&](const LiveStream& stream) { return stream.device == device; });
    left += EraseIf(events_, [&](const Runtime* owner) { return owner == device; });
<% if graph_capture %>
    left += EraseIf(graphs_, [&](const Runtime* owner) { return owner == device; });
<% endif %>
<% if external_memory %>
    left += EraseIf(imports_, [&](const Runtime* owner) { return owner == device; });
<% endif %>
    left += EraseIf(blocks_, [&](const LiveBlock& block) { return block.device == device; });
  }

  template <class Change>
  void ChangeGates(int64_t stream, Change change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stream == kEpEveryStream) {
      change(all_);
      for (auto& [number, gate] : gates_) change(gate);
    } else if (stream >= 0 && stream < stream_count_) {
      change(gates_[stream]);
    }
    released_.notify_all();
  }

  // The turn of an item has come.
  void Pass(int64_t stream) {
    std::unique_lock<std::mutex> lock(mutex_);
    const Gate& gate = gates_[stream];  // stays where it is
    released_.wait(lock, [&] { return !gate.is_held; });
    const uint64_t delay = gate.delay_us;
    ++counts_[stream]["begun"];
    lock.unlock();
    if (delay != 0) std::this_thread::sleep_for(std::chrono::microseconds(delay));
  }

  void Count(int64_t stream, const char* name, int64_t by = 1) {
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_[stream][name] += by;
  }

  void CountOnDevice(const char* name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++device_[name];
  }

  int64_t Counter(int64_t stream, const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (name == "streams") return static_cast<int64_t>(streams_.size());
    if (name == "events") return static_cast<int64_t>(events_.size());
<% if graph_capture %>
    if (name == "graphs") return static_cast<int64_t>(graphs_.size());
<% endif %>
<% if external_memory %>
    if (name == "imports") return static_cast<int64_t>(imports_.size());
<% endif %>
    if (name == "bytes_in_use") return BytesInUse(false);
    if (name == "host_bytes_in_use") return BytesInUse(true);
    if (DeviceCounters().count(name) != 0) return device_[name];
    if (StreamCounters().count(name) == 0) return -1;
    if (stream != kEpEveryStream) return counts_[stream][name];
    int64_t sum = 0;
    for (auto& [number, counts] : counts_) sum += counts[name];
    return sum;
  }

  bool SetFailure(const std::string& call, uint64_t nth) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (Calls().count(call) == 0) return false;
    failures_[call] = nth;
    return true;
  }

  Status Injected(const std::string& call) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = failures_.find(call);
    if (found == failures_.end() || found->second == 0 || --found->second != 0) return Status();
    return Failed("a failure of '" + call + "' that a test asked for");
  }

  void Reset() {
    ChangeGates(kEpEveryStream, [](Gate& gate) { gate = Gate(); });
    const std::lock_guard<std::mutex> lock(mutex_);
    failures_.clear();
    counts_.clear();
    device_.clear();
  }

 private:
  template <class Map, class Condition>
  static int64_t EraseIf(Map& map, Condition condition) {
    const size_t before = map.size();
    for (auto entry = map.begin(); entry != map.end();) {
      entry = condition(entry->second) ? map.erase(entry) : std::next(entry);
    }
    return static_cast<int64_t>(before - map.size());
  }

  int64_t BytesInUse(bool is_host) const {
    int64_t sum = 0;
    for (const auto& [address, block] : blocks_) sum += block.is_host == is_host ? block.bytes : 0;
    return sum;
  }

  std::mutex mutex_;
  std::condition_variable released_;
  int64_t stream_count_ = 0;
  std::map<const void*, LiveStream> streams_;
  std::map<const void*, const Runtime*> events_;
<% if graph_capture %>
  std::map<const void*, const Runtime*> graphs_;
<% endif %>
<% if external_memory %>
  std::map<const void*, const Runtime*> imports_;  // memory and semaphores
<% endif %>
  std::map<const void*, LiveBlock> blocks_;
  Gate all_;  // what new queues begin with
  std::map<int64_t, Gate> gates_;
  std::map<int64_t, std::map<std::string, int64_t>> counts_;
  std::map<std::string, int64_t> device_;
  std::map<std::string, uint64_t> failures_;
};

class HookedRuntime final : public Runtime {
 public:
  explicit HookedRuntime(std::unique_ptr<Runtime> inner) : inner_(std::move(inner)) {}
  // Nobody could release the queues any more, and the device waits for them.
  ~HookedRuntime() override {
    hooks_.ChangeGates(kEpEveryStream, [](Gate& gate) { gate.is_held = false; });
    hooks_.Close(this);
  }

  Status Allocate(size_t bytes, void** address) override {
    *address = nullptr;
    EP_RETURN_IF_ERROR(hooks_.Injected("allocate"));
    EP_RETURN_IF_ERROR(inner_->Allocate(bytes, address));
    hooks_.AddBlock(*address, {this, static_cast<int64_t>(bytes), false});
    return Status();
  }
  void Free(void* address) noexcept override {
    hooks_.RemoveBlock(address);  // before somebody else has the address
    inner_->Free(address);
  }
<% if host_accessible %>
  Status AllocateHost(size_t bytes, void** address) override {
    *address = nullptr;
    EP_RETURN_IF_ERROR(hooks_.Injected("allocate_host"));
    EP_RETURN_IF_ERROR(inner_->AllocateHost(bytes, address));
    hooks_.AddBlock(*address, {this, static_cast<int64_t>(bytes), true});
    return Status();
  }
  void FreeHost(void* address) noexcept override {
    hooks_.RemoveBlock(address);
    inner_->FreeHost(address);
  }
<% endif %>
<% if memory_capacity or resource_accounting %>
  Status Capacity(uint64_t* total, uint64_t* available) override {
    return inner_->Capacity(total, available);
  }
<% endif %>

  Status CopyToDevice(void* device, const void* host, size_t bytes, Stream stream) override {
    EP_RETURN_IF_ERROR(Begin("copy", stream));
    return CountCopy("copies_to_device", bytes, stream,
                     inner_->CopyToDevice(device, host, bytes, stream));
  }
  Status CopyToHost(void* host, const void* device, size_t bytes, Stream stream) override {
    EP_RETURN_IF_ERROR(Begin("copy", stream));
    return CountCopy("copies_to_host", bytes, stream,
                     inner_->CopyToHost(host, device, bytes, stream));
  }
  Status CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) override {
    EP_RETURN_IF_ERROR(Begin("copy", stream));
    return CountCopy("copies_on_device", bytes, stream,
                     inner_->CopyOnDevice(to, from, bytes, stream));
  }
  Status Fill(void* device, unsigned char value, size_t bytes, Stream stream) override {
    EP_RETURN_IF_ERROR(Begin("fill", stream));
    return Count("fills", stream, inner_->Fill(device, value, bytes, stream));
  }
  void* KernelAddress(const void* device) const noexcept override {
    return inner_->KernelAddress(device);
  }

  Status Launch(Stream stream, Work work) override {
    EP_RETURN_IF_ERROR(Begin("launch", stream));
    if (const Status failure = hooks_.Injected("work"); !failure.ok()) {
      work = [failure](Exec&) { return failure; };
    }
    return Count("launches", stream, inner_->Launch(stream, std::move(work)));
  }

  Status CreateStream(Stream* stream) override {
    *stream = nullptr;
    EP_RETURN_IF_ERROR(hooks_.Injected("create_stream"));
    EP_RETURN_IF_ERROR(inner_->CreateStream(stream));
    hooks_.AddStream(this, *stream);
    return Status();
  }
  void DestroyStream(Stream stream) noexcept override {
    inner_->DestroyStream(stream);
    hooks_.RemoveStream(stream);
  }
  Status Synchronize(Stream stream) override {
    EP_RETURN_IF_ERROR(hooks_.Injected("synchronize"));
    return Count("synchronizations", stream, inner_->Synchronize(stream));
  }

  Status CreateEvent(Event* event) override {
    *event = nullptr;
    EP_RETURN_IF_ERROR(hooks_.Injected("create_event"));
    EP_RETURN_IF_ERROR(inner_->CreateEvent(event));
    hooks_.AddEvent(this, *event);
    return Status();
  }
  void DestroyEvent(Event event) noexcept override {
    hooks_.RemoveEvent(event);
    inner_->DestroyEvent(event);
  }
  Status Record(Event event, Stream stream) override {
    EP_RETURN_IF_ERROR(Begin("record", stream));
    return Count("records", stream, inner_->Record(event, stream));
  }
  Status WaitOnDevice(Event event, Stream stream) override {
    EP_RETURN_IF_ERROR(Begin("device_wait", stream));
    return Count("device_waits", stream, inner_->WaitOnDevice(event, stream));
  }
  Status WaitOnHost(Event event) override {
    EP_RETURN_IF_ERROR(hooks_.Injected("host_wait"));
    EP_RETURN_IF_ERROR(inner_->WaitOnHost(event));
    hooks_.CountOnDevice("host_waits");
    return Status();
  }
<% if graph_capture %>
  Status BeginCapture(Stream stream) override {
    EP_RETURN_IF_ERROR(hooks_.Injected("begin_capture"));
    return inner_->BeginCapture(stream);
  }
  // A failure of the device's own: the capture is over, and there is no graph.
  Status EndCapture(Stream stream, Graph* graph) override {
    EP_RETURN_IF_ERROR(inner_->EndCapture(stream, graph));
    if (const Status failure = hooks_.Injected("end_capture"); !failure.ok()) {
      inner_->DestroyGraph(std::exchange(*graph, nullptr));
      return failure;
    }
    hooks_.AddGraph(this, *graph);
    hooks_.Count(hooks_.FindStream(stream), "captures");
    return Status();
  }
  Status Replay(Graph graph, Stream stream) override {
    EP_RETURN_IF_ERROR(hooks_.Injected("replay"));
    return Count("replays", stream, inner_->Replay(graph, stream));
  }
  void DestroyGraph(Graph graph) noexcept override {
    hooks_.RemoveGraph(graph);
    inner_->DestroyGraph(graph);
  }
<% endif %>
<% if external_memory %>
  bool CanImport(MemoryHandle kind) const noexcept override { return inner_->CanImport(kind); }
  bool CanImport(SemaphoreHandle kind) const noexcept override { return inner_->CanImport(kind); }
  Status ImportMemory(MemoryHandle kind, void* handle, size_t bytes, void** address) override {
    *address = nullptr;
    EP_RETURN_IF_ERROR(hooks_.Injected("import"));
    EP_RETURN_IF_ERROR(inner_->ImportMemory(kind, handle, bytes, address));
    hooks_.AddImport(this, *address);
    return Status();
  }
  void ReleaseImported(void* address) noexcept override {
    hooks_.RemoveImport(address);
    inner_->ReleaseImported(address);
  }
  Status ImportSemaphore(SemaphoreHandle kind, void* handle, Semaphore* semaphore) override {
    *semaphore = nullptr;
    EP_RETURN_IF_ERROR(hooks_.Injected("import"));
    EP_RETURN_IF_ERROR(inner_->ImportSemaphore(kind, handle, semaphore));
    hooks_.AddImport(this, *semaphore);
    return Status();
  }
  void ReleaseSemaphore(Semaphore semaphore) noexcept override {
    hooks_.RemoveImport(semaphore);
    inner_->ReleaseSemaphore(semaphore);
  }
  Status WaitSemaphore(Semaphore semaphore, uint64_t value, Stream stream) override {
    EP_RETURN_IF_ERROR(Begin("semaphore_wait", stream));
    return inner_->WaitSemaphore(semaphore, value, stream);
  }
  Status SignalSemaphore(Semaphore semaphore, uint64_t value, Stream stream) override {
    EP_RETURN_IF_ERROR(Begin("semaphore_signal", stream));
    return inner_->SignalSemaphore(semaphore, value, stream);
  }
<% endif %>
<% if graphics_interop %>
  Status AdoptQueue(GraphicsApi api, void* command_queue, Stream* stream) override {
    return inner_->AdoptQueue(api, command_queue, stream);
  }
  void ReleaseQueue(Stream stream) noexcept override { inner_->ReleaseQueue(stream); }
<% endif %>

 private:
  // Puts an item into the queue that lets the next one wait.
  Status Begin(const char* call, Stream stream) {
    EP_RETURN_IF_ERROR(hooks_.Injected(call));
    const int64_t number = hooks_.FindStream(stream);
    if (number < 0) return Status();
    EP_RETURN_IF_ERROR(inner_->Launch(stream, [&hooks = hooks_, number](Exec&) {
      hooks.Pass(number);
      return Status();
    }));
    hooks_.Count(number, "queued");
    return Status();
  }

  Status Count(const char* name, Stream stream, Status status) {
    if (status.ok()) hooks_.Count(hooks_.FindStream(stream), name);
    return status;
  }
  Status CountCopy(const char* name, size_t bytes, Stream stream, Status status) {
    if (!status.ok()) return status;
    const int64_t number = hooks_.FindStream(stream);
    hooks_.Count(number, "copies");
    hooks_.Count(number, name);
    hooks_.Count(number, "copied_bytes", static_cast<int64_t>(bytes));
    return status;
  }

  Hooks& hooks_ = Hooks::Instance();
  const std::unique_ptr<Runtime> inner_;
};

const EpTestHooksTable kTable = {
    1,
    []() -> int64_t { return Hooks::Instance().StreamCount(); },
    [](const void* handle) -> int64_t { return Hooks::Instance().FindStream(handle); },
    [](int64_t stream, uint64_t delay) {
      Hooks::Instance().ChangeGates(stream, [=](Gate& gate) { gate.delay_us = delay; });
    },
    [](int64_t stream, int32_t is_held) {
      Hooks::Instance().ChangeGates(stream, [=](Gate& gate) { gate.is_held = is_held != 0; });
    },
    [](int64_t stream, const char* name) -> int64_t {
      return Hooks::Instance().Counter(stream, name);
    },
    [](const char* call, uint64_t nth) -> int32_t {
      return Hooks::Instance().SetFailure(call, nth) ? 1 : 0;
    },
    []() { Hooks::Instance().Reset(); },
};

}  // namespace

std::unique_ptr<Runtime> WithTestHooks(std::unique_ptr<Runtime> runtime) {
  return std::make_unique<HookedRuntime>(std::move(runtime));
}

}  // namespace <%= ns %>

extern "C" EP_EXPORT const EpTestHooksTable* EpTestHooks(uint32_t version) {
  return version == 1 ? &<%= ns %>::kTable : nullptr;
}
