<%= banner %>
#pragma once

#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "check.h"
#include "device/runtime.h"

namespace <%= ns %>::test {

inline bool IsOk(const Status& status) {
  return CHECK_THAT(status.ok(), std::string(status.message()));
}

// Is it an error whose text has `part`?
inline bool Says(const Status& status, const std::string& part) {
  return !status.ok() && std::string(status.message()).find(part) != std::string::npos;
}

// Holds a queue: what is behind the gate is not done before it is opened.
class Gate {
 public:
  Gate(Runtime& runtime, Stream stream) : state_(std::make_shared<State>()) {
    IsOk(runtime.Launch(stream, [state = state_](Exec&) {
      std::unique_lock<std::mutex> lock(state->mutex);
      state->opened.wait(lock, [&] { return state->is_open; });
      return Status();
    }));
  }
  ~Gate() { Open(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void Open() {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->is_open = true;
    state_->opened.notify_all();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable opened;
    bool is_open = false;
  };
  std::shared_ptr<State> state_;
};

inline Work Fails(const char* text) {
  return [text](Exec&) { return Failed(text); };
}

// What has happened, in which order.
class Log {
 public:
  void Add(int what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    entries_.push_back(what);
  }
  Work Adds(int what) {
    return [this, what](Exec&) {
      Add(what);
      return Status();
    };
  }
  std::vector<int> entries() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return entries_;
  }

 private:
  std::mutex mutex_;
  std::vector<int> entries_;
};

using Numbers = std::vector<int>;

// A device, two queues and memory for `kCount` numbers.
class Device {
 public:
  static constexpr int kCount = 1000;
  static constexpr size_t kBytes = kCount * sizeof(int);

  Device() {
    IsOk(MakeRuntime(&runtime_));
    for (Stream* stream : {&first, &second, &idle_}) IsOk(runtime_->CreateStream(stream));
    IsOk(runtime_->CreateEvent(&event));
    IsOk(runtime_->Allocate(kBytes, &memory));
    IsOk(runtime_->Fill(memory, 0, kBytes, nullptr));
  }
  ~Device() {
    if (runtime_ != nullptr) runtime_->Free(memory);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Runtime* operator->() const { return runtime_.get(); }
  Runtime& operator*() const { return *runtime_; }
  // The end of it; its memory goes along.
  void Close() { runtime_.reset(); }

  static Numbers All(int number) { return Numbers(kCount, number); }

  // What is in the memory now, without waiting for anything.
  Numbers Read() {
    Numbers numbers(kCount);
    IsOk(runtime_->CopyToHost(numbers.data(), memory, kBytes, nullptr));
    return numbers;
  }

  // Time for whatever does not wait to happen: it would be seen, then. What waits cannot fail here.
  void Tick() {
    for (int i = 0; i < 50; ++i) {
      IsOk(runtime_->Launch(idle_, [](Exec&) { return Status(); }));
      IsOk(runtime_->Synchronize(idle_));
      std::this_thread::yield();
    }
  }

  Stream first = nullptr;
  Stream second = nullptr;
  Event event = nullptr;
  void* memory = nullptr;

 private:
  std::unique_ptr<Runtime> runtime_;
  Stream idle_ = nullptr;
};

// A call on a thread of its own, as it may not return.
class Call {
 public:
  template <class Body>
  explicit Call(Body body) {
    std::promise<void> promise;
    done_ = promise.get_future();
    thread_ = std::thread([body = std::move(body), promise = std::move(promise)]() mutable {
      body();
      promise.set_value();
    });
  }
  ~Call() { thread_.join(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool HasReturned() const { return Within(std::chrono::seconds(0)); }
  // For calls that wait for nothing: only the wrong answer takes the time.
  bool Returns() const { return Within(std::chrono::seconds(20)); }

 private:
  bool Within(std::chrono::seconds time) const {
    return done_.wait_for(time) == std::future_status::ready;
  }

  std::future<void> done_;
  std::thread thread_;
};

}  // namespace <%= ns %>::test
