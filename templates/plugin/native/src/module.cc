<%= banner %>
// The module: kernels, claims and facts of the execution provider for Python, without ONNX Runtime.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "call.h"
#include "claim.h"
#include "convert.h"
#include "gen/kernel_table.h"
#include "info.h"

namespace nb = nanobind;

namespace <%= ns %>::native {
namespace {

using Types = std::vector<int>;  // numbers of DType; 0: left out, or not known

std::vector<DType> ToTypes(const Types& numbers) {
  std::vector<DType> types;
  for (int number : numbers) types.push_back(static_cast<DType>(number));
  return types;
}

std::string LabelOf(const KernelRow& row) {
  return (*row.domain != '\0' ? std::string(row.domain) + "::" : "") + row.op + "-" +
         std::to_string(row.since);
}

// Does what takes the GIL. At its end the interpreter of Python before 3.14 ends other threads where
// they ask for the GIL, by an exception of no type that nanobind would abort the process for. Such
// a thread waits for the end of the process here.
template <class Action>
auto WithGil(Action action) {
  try {
    return action();
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

// Runs a step of a call, while other threads of Python run.
template <class Step>
void Perform(const KernelRow& row, Step step) {
  Status status;
  std::exception_ptr thrown;
  PyThreadState* thread = PyEval_SaveThread();
  try {
    status = step();
  } catch (...) {
    thrown = std::current_exception();
  }
  WithGil([&] { PyEval_RestoreThread(thread); });
  if (thrown != nullptr) std::rethrow_exception(thrown);
  RaiseIfError(status, LabelOf(row));
}

nb::tuple ToTuple(const Shape& shape) {
  nb::list dims;
  for (int64_t dim : shape) dims.append(dim);
  return nb::tuple(dims);
}

// Calls one kernel.
//
// `inputs` are arrays, or None. `outputs` has, for each output, the number of its element type, 0
// for one that follows from the inputs, or None for one that nobody wants. `allocate` is called
// with the index, the name of the type and the shape of an output, and returns its array.
nb::list Run(const std::string& domain, const std::string& op, int since, const nb::list& inputs,
             const nb::list& attributes, const std::vector<std::optional<int>>& outputs,
             const nb::callable& allocate) {
  const KernelRow* row = FindKernel(domain.c_str(), op.c_str(), since);
  if (row == nullptr) throw nb::key_error("there is no such kernel");
  std::vector<InputArray> arrays;  // what the kernel reads lives as long as these
  CallNode node(since);
  Call call(*row);
  for (nb::handle input : inputs) {
    if (input.is_none()) {
      call.AddInput(Tensor());
      continue;
    }
    arrays.push_back(nb::cast<InputArray>(input));
    call.AddInput(ViewInput(arrays.back()));
  }
  for (const std::optional<int>& output : outputs) {
    call.AddOutput(output.has_value(), static_cast<DType>(output.value_or(0)));
  }
  ReadAttributes(attributes, &node);
  node.SetCounts(call.input_count(), call.output_count());
  Perform(*row, [&] { return call.Prepare(node); });
  nb::list results;
  std::vector<OutputArray> targets;
  for (size_t i = 0; i < call.output_count(); ++i) {
    if (!call.is_wanted(i)) {
      results.append(nb::none());
      continue;
    }
    const MutableTensor& output = call.output(i);
    const nb::tuple shape = ToTuple(output.shape);
    results.append(WithGil([&] { return allocate(i, NameOf(output.dtype), shape); }));
    targets.push_back(nb::cast<OutputArray>(results[i]));
    call.SetMemory(i, ViewOutput(targets.back(), output));
  }
  Perform(*row, [&] { return call.Run(); });
  return results;
}

// Why the execution provider leaves a node, and whether it has a kernel.
std::pair<std::string, bool> JudgeNode(const std::string& domain, const std::string& op, int since,
                                       const Types& inputs, const Types& outputs,
                                       const nb::list& attributes, bool has_graphs) {
  const Candidate candidate{domain, op, ToTypes(inputs), ToTypes(outputs), has_graphs};
  CallNode node(since);
  ReadAttributes(attributes, &node);
  node.SetCounts(inputs.size(), outputs.size());
  const KernelRow* row = nullptr;
  std::string reason = Judge(candidate, node, &row);
  return {std::move(reason), row != nullptr};
}

// The types of a node's outputs, as far as its kernel's rules tell: for operators that ONNX does
// not know. `outputs` has 0 where the type is asked for.
Types OutputTypes(const std::string& domain, const std::string& op, int since, const Types& inputs,
                  const Types& outputs) {
  const KernelRow* row = FindKernel(domain.c_str(), op.c_str(), since);
  if (row == nullptr) return outputs;
  std::vector<DType> types = ToTypes(outputs);
  InferTypes(*row, ToTypes(inputs), &types);
  Types numbers;
  for (DType type : types) numbers.push_back(static_cast<int>(type));
  return numbers;
}
<% if compiled %>

using Key = std::tuple<std::string, std::string, int>;

// The groups that nodes are compiled in, each with whether it is compiled at all, and the patterns.
// `taken` has the kernel of each node that is taken.
std::pair<std::vector<std::pair<std::vector<uint32_t>, bool>>,
          std::vector<std::pair<std::string, std::vector<uint32_t>>>>
DivideNodes(const std::vector<std::optional<Key>>& taken,
            const std::vector<std::pair<uint32_t, uint32_t>>& edges,
            const std::vector<int64_t>& next) {
  if (next.size() != taken.size()) throw nb::value_error("every node needs an entry in next");
  std::vector<const KernelRow*> rows;
  for (const std::optional<Key>& key : taken) {
    rows.push_back(nullptr);
    if (!key.has_value()) continue;
    const auto& [domain, op, since] = *key;
    rows.back() = FindKernel(domain.c_str(), op.c_str(), since);
  }
  Division division;
  RaiseIfError(Divide(rows, {edges, next}, &division), "");
  std::vector<std::pair<std::vector<uint32_t>, bool>> groups;
  for (const Group& group : division.groups) groups.emplace_back(group.nodes, group.is_compiled);
  return {groups, division.patterns};
}
<% endif %>

}  // namespace
}  // namespace <%= ns %>::native

NB_MODULE(_native, module) {
  using namespace <%= ns %>::native;
  module.def("run", &Run, nb::arg("domain"), nb::arg("op"), nb::arg("since"), nb::arg("inputs"),
             nb::arg("attributes"), nb::arg("outputs"), nb::arg("allocate"));
  module.def("judge", &JudgeNode, nb::arg("domain"), nb::arg("op"), nb::arg("since"),
             nb::arg("inputs"), nb::arg("outputs"), nb::arg("attributes"), nb::arg("has_graphs"));
  module.def("output_types", &OutputTypes, nb::arg("domain"), nb::arg("op"), nb::arg("since"),
             nb::arg("inputs"), nb::arg("outputs"));
<% if compiled %>
  module.def("divide", &DivideNodes, nb::arg("taken"), nb::arg("edges"), nb::arg("next"));
<% endif %>
  DefineInfo(module);
}
