<%= banner %>
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "abi/api.h"
#include "abi/captured_calls.h"
#include "abi/factory.h"
#include "device/runtime.h"
#include "gen/api/status.h"
#include "gen/memory/capture_memory.h"

namespace <%= ns %> {

// The runs of one session that are captured, and replayed from then on. ORT makes the first run of a
// graph again and again until it is captured: the first time warms up, which is when memory is
// taken; the second time is captured.
//
// ORT makes one run at a time. What else is called may be called at the same time.
class GraphCapture final : public CapturedCalls {
 public:
  // `factory` outlives this.
  explicit GraphCapture(const Factory& factory) noexcept : factory_(factory) {}
  ~GraphCapture() override;
  // Works on `users`, which the application keeps; or on a queue of its own.
  Status Init(Stream users);

  // All work of the session is put into this queue, so that it is known before a run begins.
  Stream stream() const noexcept { return stream_; }

  // The application tells graphs apart by numbers, and with -1 asks for none.
  bool Has(int id) const;
  Status BeginRun(const OrtRunOptions* options);
  Status EndRun(const OrtRunOptions* options);
  // Its results are there on return: ORT does not say whether anybody waits for them.
  Status Replay(int id);
  Status Release(int id);

  void AddKernel() noexcept override { ++kernels_; }
  void RemoveKernel() noexcept override { --kernels_; }
  void CountCall(const Status& status) override;
  void AddMemory(const void* address) override;
  Status CheckStream(Stream stream) override;
  void AddHostValue(const void* data) override;
  Status CheckHostValue(const void* data) override;
  // What else happens in a run: after an error its graph is not whole.
  void Note(const Status& status);

 private:
  // What one number stands for.
  struct Captured {
    Captured(const Factory& of, std::shared_ptr<CapturePool> memory) noexcept
        : factory(of), pool(std::move(memory)) {}
    ~Captured() {
      factory.runtime().DestroyGraph(graph);
      factory.captures().Release(*pool);
    }
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;

    const Factory& factory;
    const std::shared_ptr<CapturePool> pool;
    Graph graph = nullptr;
    bool is_known = false;    // to ORT
    bool is_dropped = false;  // by the application, before that
  };

  Status ReadId(const OrtRunOptions* options, int* id) const;
  Status Launch(const std::shared_ptr<Captured>& captured);
  Status EndCapture();

  const Factory& factory_;
  Stream stream_ = nullptr;
  bool is_own_ = false;

  mutable std::mutex mutex_;  // of what is known of graphs
  mutable std::map<int, std::shared_ptr<Captured>> graphs_;
  std::set<int> warm_;

  std::atomic<int> kernels_{0};
  // Of the run that is made now.
  std::atomic<bool> is_capturing_{false};
  std::atomic<int> calls_{0};
  int id_ = 0;
  std::shared_ptr<Captured> capture_;
  std::mutex run_mutex_;  // of the following
  Status error_;
  std::set<const void*> host_values_;
};

// CreateKernel, for a kernel of a session that may capture its runs.
OrtStatus* ORT_API_CALL CreateCapturedKernel(void* entry, const OrtKernelInfo* info,
                                             OrtKernelImpl** kernel) noexcept;

}  // namespace <%= ns %>
