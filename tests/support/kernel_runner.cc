// Calls the kernels of a generated project from other languages: a node is put together piece by
// piece, run, and its outputs are read back. Compiled with the project's kernels and its own test
// harness into one shared library; PROJECT is the project's namespace. RUN_EXEC is the class of what
// kernels may use, if not the harness' own.
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernel_harness.h"

#ifndef RUN_EXEC
#define RUN_EXEC FakeExec
#endif

namespace {

using namespace PROJECT;        // NOLINT
using namespace PROJECT::test;  // NOLINT

// A list of texts, where the project's nodes have such attributes.
template <class Value = Attribute>
void SetTexts(FakeNode& node, const char* name, std::vector<std::string> values) {
  if constexpr (std::is_constructible_v<Value, std::vector<std::string>>) {
    node.Set(name, Value(std::move(values)));
  }
}

constexpr size_t kMargin = 64;
constexpr unsigned char kUntouched = 0xA5;
// Not StatusCodes:
constexpr int kOverrun = 100;   // the kernel wrote behind its output
constexpr int kNonsense = 101;  // it inferred what is no shape
constexpr int kTooLarge = 102;  // it inferred more than a test has memory for
constexpr int64_t kMostBytes = int64_t{1} << 28;

struct Output {
  MutableTensor tensor;
  std::vector<unsigned char> memory;
};

}  // namespace

struct Run {
  Run(std::string of_domain, std::string of_op, int of_since)
      : domain(std::move(of_domain)), op(std::move(of_op)), since(of_since), node(of_since) {}

  Status Execute(int64_t pieces) {
    const KernelTable table = Kernels();
    const KernelRow* found = nullptr;
    for (size_t i = 0; i < table.count; ++i) {
      const KernelRow& row = table.rows[i];
      if (domain == row.domain && op == row.op && since == row.since) found = &row;
    }
    if (found == nullptr) return Failed("not in the kernel table");
    node.SetCounts(inputs.size(), outputs.size());
    std::unique_ptr<Kernel> kernel;
    EP_RETURN_IF_ERROR(found->make(node, kernel));
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool needed = (found->needed_inputs >> i & 1) != 0;
      if (needed && inputs[i] == nullptr) return Failed("a required input is absent");
    }

    std::vector<const Tensor*> given;
    for (const auto& input : inputs) given.push_back(input.get());
    const Inputs arguments(given.data(), given.size());
    Shapes shapes(outputs.size());
    EP_RETURN_IF_ERROR(kernel->Infer(arguments, shapes));
    std::vector<MutableTensor*> wanted;
    bool empty = true;
    for (size_t i = 0; i < outputs.size(); ++i) {
      Output& output = *outputs[i];
      wanted.push_back(output.tensor.dtype == DType::kUndefined ? nullptr : &output.tensor);
      output.tensor.shape = shapes[i];
      instead = Judge(shapes[i], output.tensor.dtype);
      if (instead != 0) return Failed("it cannot be run");
      const size_t count = static_cast<size_t>(ElementCount(shapes[i]));
      output.memory.assign(count * SizeOf(output.tensor.dtype) + kMargin, kUntouched);
      output.tensor.raw = output.memory.data();
      empty = empty && (wanted.back() == nullptr || count == 0);
    }
    if (empty) return Status();
    RUN_EXEC exec(pieces);
    return kernel->Run(arguments, Outputs(wanted.data(), wanted.size()), exec);
  }

  // What is wrong with the shape of an output; 0 for nothing.
  static int Judge(const Shape& shape, DType dtype) {
    int64_t bytes = static_cast<int64_t>(SizeOf(dtype));
    bool overflow = false;
    bool empty = false;
    for (int64_t dim : shape) {
      if (dim < 0) return kNonsense;
      empty = empty || dim == 0;
      overflow = overflow || (dim > 0 && bytes > INT64_MAX / dim);
      if (!overflow && dim > 0) bytes *= dim;
    }
    if (empty) return 0;
    return overflow ? kNonsense : (bytes > kMostBytes ? kTooLarge : 0);
  }

  bool Overran() const {
    for (const auto& output : outputs) {
      const std::vector<unsigned char>& memory = output->memory;
      for (size_t i = memory.size() < kMargin ? 0 : memory.size() - kMargin; i < memory.size(); ++i) {
        if (memory[i] != kUntouched) return true;
      }
    }
    return false;
  }

  std::string domain;
  std::string op;
  int since;
  FakeNode node;
  std::vector<std::unique_ptr<Tensor>> inputs;
  std::vector<std::unique_ptr<Output>> outputs;
  std::string message;
  int instead = 0;  // of a StatusCode
};

extern "C" {

Run* RunNew(const char* domain, const char* op, int since) { return new Run(domain, op, since); }
void RunDelete(Run* run) { delete run; }

void RunSetInt(Run* run, const char* name, int64_t value) { run->node.Set(name, value); }
void RunSetFloat(Run* run, const char* name, float value) { run->node.Set(name, value); }
void RunSetString(Run* run, const char* name, const char* value) {
  run->node.Set(name, std::string(value));
}
void RunSetInts(Run* run, const char* name, const int64_t* values, size_t count) {
  run->node.Set(name, std::vector<int64_t>(values, values + count));
}
void RunSetFloats(Run* run, const char* name, const float* values, size_t count) {
  run->node.Set(name, std::vector<float>(values, values + count));
}
// The values stand in one text, each after a line's end.
void RunSetStrings(Run* run, const char* name, const char* text) {
  std::vector<std::string> values;
  for (; *text != 0; ++text) {
    if (*text == '\n') {
      values.emplace_back();
    } else {
      values.back() += *text;
    }
  }
  SetTexts(run->node, name, std::move(values));
}
void RunSetTensor(Run* run, const char* name, int dtype, const int64_t* dims, size_t rank,
                  const unsigned char* data, size_t bytes) {
  TensorValue value;
  value.dtype = static_cast<DType>(dtype);
  value.shape.assign(dims, dims + rank);
  value.bytes.assign(data, data + bytes);
  run->node.Set(name, value);
}

// The data must outlive the run. The type 0 stands for an absent input.
void RunAddInput(Run* run, int dtype, const int64_t* dims, size_t rank, const void* data) {
  run->inputs.emplace_back();
  if (dtype == 0) return;
  run->inputs.back() = std::make_unique<Tensor>();
  run->inputs.back()->dtype = static_cast<DType>(dtype);
  run->inputs.back()->shape.assign(dims, dims + rank);
  run->inputs.back()->raw = data;
}

// The type 0 stands for an output that nobody asked for.
void RunAddOutput(Run* run, int dtype) {
  run->outputs.push_back(std::make_unique<Output>());
  run->outputs.back()->tensor.dtype = static_cast<DType>(dtype);
}

int RunExecute(Run* run, int64_t pieces) {
  const Status status = run->Execute(pieces);
  run->message = status.message();
  if (status.ok() && run->Overran()) {
    run->message = "wrote behind its output";
    return kOverrun;
  }
  return run->instead != 0 ? run->instead : static_cast<int>(status.code());
}

const char* RunMessage(const Run* run) { return run->message.c_str(); }
size_t RunRank(const Run* run, size_t index) { return run->outputs[index]->tensor.shape.size(); }
const int64_t* RunShape(const Run* run, size_t index) {
  return run->outputs[index]->tensor.shape.data();
}
const void* RunData(const Run* run, size_t index) { return run->outputs[index]->tensor.raw; }

}  // extern "C"
