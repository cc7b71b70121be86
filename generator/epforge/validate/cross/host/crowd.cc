#include "crowd.h"

#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tensors.h"

namespace {

constexpr int kMakers = 2;  // threads that make sessions while others run one

// Holds threads back until all of them are there.
class Gate {
 public:
  explicit Gate(int count) : lacking_(count) {}

  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (--lacking_ == 0) all_here_.notify_all();
    all_here_.wait(lock, [this] { return lacking_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int lacking_;
};

// Does a work on many threads that begin together.
void AtOnce(int count, const std::function<void(int)>& work) {
  Gate gate(count);
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      gate.Wait();
      try {
        work(i);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!first) first = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

// A model, and what its sessions are fed. Each thread reads tensors of its own.
struct Work {
  const OrtEnv& env;
  const OrtSessionOptions& options;
  Path model;
  std::string inputs;
  std::vector<std::string> outputs;
  int threads;
  int runs;

  Owned<OrtSession> Open() const {
    OrtSession* session = nullptr;
    Check(ort->CreateSession(&env, model.c_str(), &options, &session));
    return Own(session, ort->ReleaseSession);
  }

  void Run(OrtSession* session, const std::vector<Tensor>& given, int times) const {
    std::vector<const char*> input_names, output_names;
    std::vector<const OrtValue*> input_values;
    for (const Tensor& tensor : given) {
      input_names.push_back(tensor.name.c_str());
      input_values.push_back(tensor.value.get());
    }
    for (const std::string& name : outputs) output_names.push_back(name.c_str());
    for (int i = 0; i < times; ++i) {
      std::vector<OrtValue*> values(outputs.size());
      OrtStatus* status =
          ort->Run(session, nullptr, input_names.data(), input_values.data(), given.size(),
                   output_names.data(), outputs.size(), values.data());
      for (OrtValue* value : values) ort->ReleaseValue(value);
      Check(status);
    }
  }

  // The first EPs of a library, made at once.
  void Make() const {
    AtOnce(threads, [this](int) {
      const auto session = Open();
      Run(session.get(), ReadTensors(inputs), 1);
    });
  }

  void Run(std::size_t sessions) const {
    std::vector<Owned<OrtSession>> opened;
    for (std::size_t i = 0; i < sessions; ++i) opened.push_back(Open());
    AtOnce(threads * static_cast<int>(sessions), [&](int i) {
      Run(opened[static_cast<std::size_t>(i) % sessions].get(), ReadTensors(inputs), runs);
    });
  }

  void Churn() const {
    const auto steady = Open();
    AtOnce(threads + kMakers, [&](int i) {
      const std::vector<Tensor> given = ReadTensors(inputs);
      if (i < threads) return Run(steady.get(), given, runs);
      for (int round = 0; round < runs / 4 + 1; ++round) Run(Open().get(), given, 2);
    });
  }
};

}  // namespace

void Crowd(const OrtEnv& env, const OrtSessionOptions& options, const Command& command) {
  Work work{env,
            options,
            Native(command["model"]),
            command["inputs"],
            {},
            std::atoi(command["threads"].c_str()),
            std::atoi(command["runs"].c_str())};
  const auto [first, last] = command.values.equal_range("output");
  for (auto name = first; name != last; ++name) work.outputs.push_back(name->second);
  const std::string& what = command["what"];
  if (what == "made") {
    work.Make();
  } else if (what == "one") {
    work.Run(std::size_t{1});
  } else if (what == "two") {
    work.Run(std::size_t{2});
  } else if (what == "churn") {
    work.Churn();
  } else {
    throw std::runtime_error("no such crowd: " + what);
  }
}
