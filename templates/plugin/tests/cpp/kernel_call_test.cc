<%= banner %>
// Calls of kernels that wait for their turn: what they keep, and what they leave to the caller.

#include <cstdint>
#include <memory>
#include <vector>

#include "check.h"
#include "gen/api/kernel_call.h"

namespace <%= ns %>::test {
namespace {

// Writes the sum of its inputs, of which the second may be left out.
class Sum final : public Kernel {
 public:
  Status Infer(Inputs, Shapes&) const override { return Status(); }
  Status Run(Inputs inputs, Outputs outputs, Exec&) const override {
    int64_t sum = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      for (int64_t k = 0; inputs.has(i) && k < inputs[i].size(); ++k) {
        sum += inputs[i].data<int64_t>()[k];
      }
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs.has(i)) *outputs[i].data<int64_t>() = sum;
    }
    return Status();
  }
};

class NoExec final : public Exec {
 public:
  void ParallelFor(int64_t count, int64_t, Range range, void* context) override {
    range(context, 0, count);
  }
  Status Scratch(size_t, void**) override { return Failed("nobody asks for it here"); }
  void* Stream() const noexcept override { return nullptr; }
};

void TestWhatIsKept() {
  const Sum kernel;
  std::vector<int64_t> on_host = {1, 2, 3};
  std::vector<int64_t> on_device = {10};
  int64_t result = 0;
  auto call = std::make_unique<KernelCall>(kernel, 3, 2);
  {
    // The views may go, and the host's memory be used for something else.
    const Tensor host{on_host.data(), DType::kInt64, {3}};
    const Tensor device{on_device.data(), DType::kInt64, {1}};
    const MutableTensor y{&result, DType::kInt64, {}};
    call->AddInput(&host, true);
    call->AddInput(nullptr, true);
    call->AddInput(&device, false);
    call->AddOutput(nullptr);
    call->AddOutput(&y);
  }
  on_host = {100, 100, 100};
  on_device = {20};  // as the queue before it has left it
  NoExec exec;
  CHECK(call->Run(exec).ok());
  CHECK(result == 1 + 2 + 3 + 20);
}

void TestNothingToKeep() {
  const Sum kernel;
  int64_t result = -1;
  KernelCall call(kernel, 1, 1);
  const Tensor none{nullptr, DType::kInt64, {0}};
  const MutableTensor y{&result, DType::kInt64, {}};
  call.AddInput(&none, true);
  call.AddOutput(&y);
  NoExec exec;
  CHECK(call.Run(exec).ok() && result == 0);
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
  TestWhatIsKept();
  TestNothingToKeep();
  return Verdict();
}
