<%= banner %>
// Custom operators against a made-up runtime: what they say of themselves, what they infer, and
// how they fail.
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "abi/custom_op.h"
#include "abi/custom_op_domains.h"
#include "abi/factory.h"
<% if cuda_library %>
#include "abi/kernel_adapter.h"
#include "abi/kernel_exec.h"
<% endif %>
#include "check.h"
#include "custom_ops_harness.h"
#include "gen/custom_ops.h"
#include "gen/identity.h"
#include "gen/kernel_table.h"
<% if custom_library %>

extern "C" OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions*,
                                                     const OrtApiBase*) noexcept;
<% endif %>

namespace <%= ns %>::test {
namespace {

// Every operator of the table, and what ORT is given for it.
struct Made {
  const CustomOpSchema& schema;
  std::unique_ptr<CustomOp> op;
};
std::vector<Made> MakeAll(const Api& api) {
  std::vector<Made> all;
  const CustomOpTable table = CustomOps();
  for (size_t i = 0; i < table.count; ++i) {
    all.push_back({table.ops[i], std::make_unique<CustomOp>(api, table.ops[i])});
  }
  return all;
}

FakeShape Dims(DType dtype, std::vector<int64_t> sizes, std::vector<std::string> symbols) {
  return {static_cast<ONNXTensorElementDataType>(dtype), std::move(sizes), std::move(symbols)};
}

// A type that an input may have.
DType AnyTypeOf(const CustomOpSchema& schema, size_t input) {
  if (schema.inputs[input].dtype != DType::kUndefined) return schema.inputs[input].dtype;
  const KernelRow* row = FindKernel(schema.domain, schema.op, schema.since);
  for (size_t i = 0; row != nullptr && i < row->rule_count; ++i) {
    if (std::strcmp(row->rules[i].constraint, schema.inputs[input].constraint) == 0) {
      return row->rules[i].types[0];
    }
  }
  return DType::kFloat32;
}

// -------------------------------------------------------------------------------------- the tests

// ORT is given V2 callbacks alone: the older ones cannot fail with a status.
void TestCallbacks() {
  const Api api = TestApi();
  for (const Made& made : MakeAll(api)) {
    const OrtCustomOp& op = *made.op;
    const CustomOpSchema& schema = made.schema;
    CHECK(op.version == 25);
    CHECK(op.CreateKernel == nullptr && op.KernelCompute == nullptr);
    CHECK(op.CreateKernelV2 != nullptr && op.KernelComputeV2 != nullptr);
    CHECK(op.KernelDestroy != nullptr && op.InferOutputShapeFn != nullptr);
    CHECK(op.GetMayInplace == nullptr && op.GetAliasMap == nullptr);
    CHECK(std::string(op.GetName(&op)) == schema.op);
    CHECK(op.GetExecutionProviderType(&op) == nullptr);
    CHECK(op.GetStartVersion(&op) == schema.since && op.GetEndVersion(&op) == schema.since);
    CHECK(op.GetVariadicInputMinArity(&op) == 1 && op.GetVariadicInputHomogeneity(&op) == 1);
    CHECK(op.GetVariadicOutputMinArity(&op) == 1 && op.GetVariadicOutputHomogeneity(&op) == 1);
    if (!CHECK(op.GetInputTypeCount(&op) == schema.input_count)) continue;
    if (!CHECK(op.GetOutputTypeCount(&op) == schema.output_count)) continue;
    const KernelRow* row = FindKernel(schema.domain, schema.op, schema.since);
    CHECK((row != nullptr) == schema.computed);
    for (size_t i = 0; i < schema.input_count; ++i) {
      const CustomParameter& input = schema.inputs[i];
      const auto type = op.GetInputType(&op, i);
      CHECK(type == static_cast<ONNXTensorElementDataType>(input.dtype));
      const auto kind = op.GetInputCharacteristic(&op, i);
      CHECK((kind == INPUT_OUTPUT_OPTIONAL) == input.optional);
      CHECK((kind == INPUT_OUTPUT_VARIADIC) == input.variadic);
      CHECK(!input.variadic || i + 1 == schema.input_count);
      const bool on_host = row != nullptr && HasBit(row->host_inputs, i);
      CHECK((op.GetInputMemoryType(&op, i) == OrtMemTypeCPUInput) == on_host);
    }
    for (size_t i = 0; i < schema.output_count; ++i) {
      const auto type = op.GetOutputType(&op, i);
      CHECK(type == static_cast<ONNXTensorElementDataType>(schema.outputs[i].dtype));
      CHECK((op.GetOutputCharacteristic(&op, i) == INPUT_OUTPUT_REQUIRED) ==
            (!schema.outputs[i].optional && !schema.outputs[i].variadic));
    }
  }
}

// Whoever cannot compute says which operator and which node, and what could be done.
void TestKernels() {
  const Api api = TestApi();
  for (const Made& made : MakeAll(api)) {
    const std::string label = std::string(made.schema.domain) + "::" + made.schema.op;
    const KernelRow* row = FindKernel(made.schema.domain, made.schema.op, made.schema.since);
    if (made.schema.input_count == 0) continue;
    fake = {};
    fake.kernel_inputs = made.schema.input_count;
    fake.kernel_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64;  // nothing computes with these
    void* kernel = &fake;
    const std::string error =
        Take(made.op->CreateKernelV2(made.op.get(), &ort_table, Info(), &kernel));
    CHECK_THAT(error.find(label + " node 'n0': ") == 0, error);
    CHECK(kernel == nullptr && fake.live == 0);
    if (row == nullptr) {
      CHECK_THAT(error.find("no execution provider of this session") != std::string::npos, error);
    } else if (!row->ready) {
      CHECK_THAT(error.find("not written yet") != std::string::npos, error);
    }
    made.op->KernelDestroy(nullptr);
  }
}

// Elementwise operators: inputs are broadcast, and dimensions keep their symbols.
void TestBroadcast() {
  const Api api = TestApi();
  for (const Made& made : MakeAll(api)) {
    if (!made.schema.elementwise || made.schema.input_count == 0) continue;
    fake = {};
    FakeNode node;
    for (size_t i = 0; i < made.schema.input_count; ++i) {
      const DType dtype = AnyTypeOf(made.schema, i);
      node.inputs.push_back(i == 0 ? Dims(dtype, {7, -1, 1, 4, -1}, {"", "N", "", "", ""})
                                   : Dims(dtype, {-1, 3, 1, -1}, {"N", "", "", ""}));
    }
    auto* context = reinterpret_cast<OrtShapeInferContext*>(&node);
    CHECK(Take(made.op->InferOutputShapeFn(made.op.get(), context)).empty());
    CHECK(fake.live == 0);
    if (!CHECK(node.outputs.size() == made.schema.output_count)) continue;
    const FakeShape& first = node.outputs[0];
    if (!CHECK(first.sizes.size() == 5)) continue;
    CHECK(first.sizes[0] == 7 && first.symbols[0].empty());
    CHECK(first.sizes[1] == -1 && first.symbols[1] == "N");
    CHECK(first.sizes[2] == (made.schema.input_count > 1 ? 3 : 1));
    CHECK(first.sizes[3] == 4);
    // Nobody knows the last one: it has a name that nothing else has.
    CHECK(first.sizes[4] == -1 && !first.symbols[4].empty());
    const std::string name = first.symbols[4];
    CHECK(Take(made.op->InferOutputShapeFn(made.op.get(), context)).empty());
    CHECK(node.outputs[0].symbols[4] != name && !node.outputs[0].symbols[4].empty());
  }
}

// A scalar may be an input of unknown rank: nothing may be made of it.
void TestUnknownRank() {
  const Api api = TestApi();
  for (const Made& made : MakeAll(api)) {
    if (made.schema.input_count == 0) continue;
    fake = {};
    FakeNode node;
    bool one_type = true;  // then ORT finds the types without help
    DType open = DType::kUndefined;
    for (size_t i = 0; i < made.schema.input_count; ++i) {
      const DType dtype = AnyTypeOf(made.schema, i);
      node.inputs.push_back(Dims(dtype, {}, {}));
      if (made.schema.inputs[i].dtype != DType::kUndefined) continue;
      one_type = one_type && (open == DType::kUndefined || open == dtype);
      open = dtype;
    }
    auto* context = reinterpret_cast<OrtShapeInferContext*>(&node);
    CHECK(Take(made.op->InferOutputShapeFn(made.op.get(), context)).empty());
    CHECK(!one_type || node.outputs.empty());
    CHECK(fake.live == 0);
  }
}

// The factory makes the domains once, and takes back what it made when that fails half-way.
void TestDomains() {
  fake = {};
  const CustomOpTable table = CustomOps();
  {
    Factory factory(TestApi(), nullptr);
    size_t count = 9;
    fake.domains_until_failure = 0;
    CHECK(!Take(factory.GetNumCustomOpDomains(&factory, &count)).empty());
    CHECK(count == 0 && fake.live == 0);
    fake.domains_until_failure = -1;
    CHECK(Take(factory.GetNumCustomOpDomains(&factory, &count)).empty());
    if (!CHECK(count > 0 && count <= table.count)) return;
    std::vector<OrtCustomOpDomain*> domains(count);
    std::vector<OrtCustomOpDomain*> again(count);
    CHECK(Take(factory.GetCustomOpDomains(&factory, domains.data(), count)).empty());
    CHECK(Take(factory.GetCustomOpDomains(&factory, again.data(), count)).empty());
    CHECK(domains == again && fake.live == static_cast<int>(count));
    CHECK(!Take(factory.GetCustomOpDomains(&factory, domains.data(), count - 1)).empty());
    size_t ops = 0;
    std::set<std::string> names;
    for (OrtCustomOpDomain* domain : domains) {
      const auto& made = *reinterpret_cast<FakeDomain*>(domain);
      CHECK(!made.ops.empty() && names.insert(made.name).second);
      for (const OrtCustomOp* op : made.ops) {
        bool declared = false;
        for (size_t i = 0; i < table.count; ++i) {
          declared = declared || (made.name == table.ops[i].domain &&
                                  std::string(op->GetName(op)) == table.ops[i].op);
        }
        CHECK(declared);
      }
      ops += made.ops.size();
    }
    CHECK(ops == table.count);
  }
  CHECK(fake.live == 0);
}
<% if custom_library %>

// The library of its own: says what is wrong with a runtime, makes its domains once.
void TestLibrary() {
  fake = {};
  auto* options = reinterpret_cast<OrtSessionOptions*>(&fake);
  CHECK(RegisterCustomOps(options, nullptr) == nullptr);
  CHECK(!Take(RegisterCustomOps(nullptr, Base())).empty());
  std::string minimum;
  for (int part : kMinimumOrt) minimum += (minimum.empty() ? "" : ".") + std::to_string(part);
  for (const std::string version : {"1.9.0", "1.22.0", "2.0.0", "", "abc"}) {
    fake.version = version;
    const std::string error = Take(RegisterCustomOps(options, Base()));
    CHECK_THAT(error.find(minimum) != std::string::npos, error);
    CHECK_THAT(error.find("'" + version + "'") != std::string::npos, error);
  }
  fake = {};
  fake.domains_until_failure = 0;
  CHECK(Take(RegisterCustomOps(options, Base())) == "no more domains");
  CHECK(fake.added.empty() && fake.live == 0);

  fake = {};
  CHECK(Take(RegisterCustomOps(options, Base())).empty());
  const std::vector<FakeDomain*> first = fake.added;
  CHECK(!first.empty() && fake.live == static_cast<int>(first.size()));
  fake.added.clear();
  CHECK(Take(RegisterCustomOps(options, Base())).empty());
  CHECK(fake.added == first && fake.live == static_cast<int>(first.size()));
  fake.adds = false;
  CHECK(Take(RegisterCustomOps(options, Base())) == "this domain is there already");
}
<% endif %>
<% if cuda_library %>

// Kernels of ORT's CUDA execution provider go to its stream; without one, nothing is launched.
void TestStream() {
  fake = {};
  ort_table.KernelContext_GetGPUComputeStream = [](const OrtKernelContext*,
                                                   void** stream) noexcept -> OrtStatus* {
    *stream = fake.stream;
    return nullptr;
  };
  const Api api = TestApi();
<% if device_memory %>
  KernelExec exec(api, nullptr, nullptr);
<% else %>
  KernelExec exec(api, nullptr);
<% endif %>
  CHECK(exec.Stream() == nullptr);
  const Status none = exec.TakeStream();
  CHECK_THAT(std::string(none.message()).find("no CUDA stream") != std::string::npos,
             std::string(none.message()));
  fake.stream = &fake;
  CHECK(exec.TakeStream().ok() && exec.Stream() == &fake);
  void* memory = nullptr;
  CHECK(!exec.Scratch(16, &memory).ok());

  const CustomOpTable table = CustomOps();
  const CustomOp op(api, table.ops[0], true);
  CHECK(std::string(op.GetExecutionProviderType(&op)) == "CUDAExecutionProvider");
  CHECK(std::string(op.GetName(&op)) == table.ops[0].op);
}

// A kernel on a stream that is not there fails before it computes.
class Counting final : public Kernel {
 public:
  Status Infer(Inputs, Shapes&) const override { return Status(); }
  Status Run(Inputs, Outputs, Exec& exec) const override {
    ++calls;
    last_stream = exec.Stream();
    return Status();
  }
  static inline int calls = 0;
  static inline void* last_stream = nullptr;
};

void TestStreamOfKernels() {
  fake = {};
  ort_table.KernelContext_GetGPUComputeStream = [](const OrtKernelContext*,
                                                   void** stream) noexcept -> OrtStatus* {
    *stream = fake.stream;
    return nullptr;
  };
  ort_table.KernelInfo_GetOutputCount = [](const OrtKernelInfo*,
                                           size_t* count) noexcept -> OrtStatus* {
    *count = 1;
    return nullptr;
  };
  ort_table.KernelContext_GetOutput = [](OrtKernelContext*, size_t, const int64_t*, size_t,
                                         OrtValue** value) noexcept -> OrtStatus* {
    *value = reinterpret_cast<OrtValue*>(&fake);
    return nullptr;
  };
  ort_table.GetTensorElementTypeAndShapeDataReference =
      [](const OrtValue*, ONNXTensorElementDataType* type, const int64_t** sizes,
         size_t* rank) noexcept -> OrtStatus* {
    *type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
    *sizes = nullptr;
    *rank = 0;
    return nullptr;
  };
  ort_table.GetTensorData = [](const OrtValue*, const void** data) noexcept -> OrtStatus* {
    *data = &fake;
    return nullptr;
  };
  ort_table.GetTensorMutableData = [](OrtValue*, void** data) noexcept -> OrtStatus* {
    *data = &fake;
    return nullptr;
  };
  const Api api = TestApi();
  KernelRow row{};
  row.domain = "d";
  row.op = "Op";
  row.make = [](const Node&, std::unique_ptr<Kernel>& kernel) {
    kernel = std::make_unique<Counting>();
    return Status();
  };
  KernelEntry entry{};
  entry.api = &api;
  entry.row = &row;
  entry.on_stream = true;
  KernelAdapter adapter(entry);
  if (!CHECK(adapter.Init(Info()).ok())) return;
  const std::string error = Take(adapter.Compute(&adapter, nullptr));
  CHECK_THAT(error.find("d::Op node 'n0': ") == 0, error);
  CHECK(Counting::calls == 0);
  fake.stream = &fake;
  CHECK(Take(adapter.Compute(&adapter, nullptr)).empty());
  CHECK(Counting::calls == 1 && Counting::last_stream == &fake);
  CHECK(fake.live == 0);
}
<% endif %>

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
  FillRuntime();
  TestCallbacks();
  TestKernels();
  TestBroadcast();
  TestUnknownRank();
  TestDomains();
<% if custom_library %>
  TestLibrary();
<% endif %>
<% if cuda_library %>
  TestStream();
  TestStreamOfKernels();
<% endif %>
  return Verdict();
}
