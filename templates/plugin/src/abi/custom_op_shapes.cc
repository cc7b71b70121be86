<%= banner %>
#include "abi/custom_op_shapes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "abi/bridge.h"
#include "abi/handles.h"
#include "abi/node_reader.h"
#include "gen/kernel_table.h"

namespace <%= ns %> {
namespace {

// One dimension: a number, a symbol of the model's, or neither.
struct Dim {
  int64_t size = -1;
  std::string symbol;

  bool known() const noexcept { return size >= 0; }
  bool operator==(const Dim& other) const { return size == other.size && symbol == other.symbol; }
};
using Dims = std::vector<Dim>;

struct Input {
  DType dtype = DType::kUndefined;  // kUndefined: it was left out
  Dims dims;
};
using NodeInputs = std::vector<Input>;

Status ReadInput(const Api& api, const OrtShapeInferContext* context, size_t index, Input* input) {
  OrtTensorTypeAndShapeInfo* info = nullptr;  // the context's, not ours to release
  EP_ORT(api, ort->ShapeInferContext_GetInputTypeShape(context, index, &info));
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  if (info == nullptr) return Status();
  EP_ORT(api, ort->GetTensorElementType(info, &type));
  EP_ORT(api, ort->GetDimensionsCount(info, &rank));
  std::vector<int64_t> sizes(rank);
  std::vector<const char*> symbols(rank);
  EP_ORT(api, ort->GetDimensions(info, sizes.data(), rank));
  EP_ORT(api, ort->GetSymbolicDimensions(info, symbols.data(), rank));
  input->dtype = static_cast<DType>(type);
  for (size_t i = 0; i < rank; ++i) {
    input->dims.push_back({sizes[i], symbols[i] != nullptr ? symbols[i] : ""});
  }
  return Status();
}

Status ReadInputs(const Api& api, const OrtShapeInferContext* context, NodeInputs* inputs) {
  size_t count = 0;
  EP_ORT(api, ort->ShapeInferContext_GetInputCount(context, &count));
  inputs->resize(count);
  for (size_t i = 0; i < count; ++i) {
    EP_RETURN_IF_ERROR(ReadInput(api, context, i, &(*inputs)[i]));
  }
  return Status();
}

// The dimension that two of an elementwise operator's inputs have together.
Dim Broadcast(const Dim& a, const Dim& b) {
  if (a == b || b.size == 1) return a;
  if (a.size == 1 || b.known()) return b;  // what does not fit is for the kernel to refuse
  return a.known() ? a : Dim();
}

Dims Broadcast(const NodeInputs& inputs) {
  Dims shape;
  for (const Input& input : inputs) {
    if (input.dtype == DType::kUndefined) continue;
    const size_t rank = std::max(shape.size(), input.dims.size());
    shape.insert(shape.begin(), rank - shape.size(), Dim{1, ""});
    const size_t first = rank - input.dims.size();
    for (size_t i = 0; i < input.dims.size(); ++i) {
      shape[first + i] = Broadcast(shape[first + i], input.dims[i]);
    }
  }
  return shape;
}

// Asks the operator's own function for the shapes of the outputs, with numbers in the place of
// dimensions that are open. There is no data to look at: `raw` is null.
class Trial {
 public:
  Trial(const Kernel& kernel, const NodeInputs& inputs, size_t outputs)
      : kernel_(kernel), inputs_(inputs), output_count_(outputs) {
    for (const Input& input : inputs) {
      for (const Dim& dim : input.dims) {
        if (dim.known()) continue;
        const auto same = [&](const Dim& other) { return other == dim && !dim.symbol.empty(); };
        if (std::none_of(open_.begin(), open_.end(), same)) open_.push_back(dim);
      }
    }
  }

  Status Infer(std::vector<Dims>* outputs) const {
    Shapes first;
    Shapes second;
    EP_RETURN_IF_ERROR(Run(0, &first));
    EP_RETURN_IF_ERROR(Run(1, &second));
    for (size_t i = 0; i < output_count_; ++i) {
      if (first[i].size() != second[i].size()) return Failed("the rank depends on a dimension");
      outputs->emplace_back();
      for (size_t j = 0; j < first[i].size(); ++j) {
        outputs->back().push_back(Conclude(first[i][j], second[i][j]));
      }
    }
    return Status();
  }

 private:
  // What stands for an open dimension: even, and unlike what results from others.
  static int64_t Number(size_t open, int run) {
    const auto index = static_cast<int64_t>(open);
    return run == 0 ? 1212 + 24 * index : 2532 + 72 * index;
  }

  Status Run(int run, Shapes* shapes) const {
    std::vector<Tensor> tensors(inputs_.size());
    std::vector<const Tensor*> present(inputs_.size());
    size_t unnamed = 0;  // those before, among the open ones that have no symbol
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].dtype == DType::kUndefined) continue;
      tensors[i].dtype = inputs_[i].dtype;
      for (const Dim& dim : inputs_[i].dims) {
        tensors[i].shape.push_back(dim.known() ? dim.size : Number(Find(dim, &unnamed), run));
      }
      present[i] = &tensors[i];
    }
    shapes->resize(output_count_);
    EP_RETURN_IF_ERROR(kernel_.Infer(Inputs(present.data(), present.size()), *shapes));
    return shapes->size() >= output_count_ ? Status() : Failed("a shape is missing");
  }

  // The index among the open dimensions.
  size_t Find(const Dim& dim, size_t* unnamed) const {
    size_t skip = dim.symbol.empty() ? (*unnamed)++ : 0;
    for (size_t i = 0; i < open_.size(); ++i) {
      if (open_[i] == dim && skip-- == 0) return i;
    }
    return open_.size();
  }

  Dim Conclude(int64_t first, int64_t second) const {
    if (first == second) return {first, ""};
    for (size_t i = 0; i < open_.size(); ++i) {
      if (first == Number(i, 0) && second == Number(i, 1)) return open_[i];
    }
    return {};
  }

  const Kernel& kernel_;
  const NodeInputs& inputs_;
  const size_t output_count_;
  Dims open_;
};

Status InferByKernel(const Api& api, const CustomOpSchema& schema,
                     const OrtShapeInferContext* context, const NodeInputs& inputs,
                     std::vector<Dims>* outputs) {
  const KernelRow* row = FindKernel(schema.domain, schema.op, schema.since);
  if (!schema.computed || row == nullptr) return NotImplemented("the kernel is elsewhere");
  NodeReader node(api);
  EP_RETURN_IF_ERROR(node.Init(context, schema.since, schema.output_count));
  std::unique_ptr<Kernel> kernel;
  EP_RETURN_IF_ERROR(row->make(node, kernel));
  return Trial(*kernel, inputs, schema.output_count).Infer(outputs);
}

// The element type of an output: its own, or that of an input of the same type variable.
DType TypeOf(const CustomOpSchema& schema, const CustomParameter& output,
             const NodeInputs& inputs) {
  DType dtype = output.dtype;
  for (size_t i = 0; i < inputs.size() && dtype == DType::kUndefined; ++i) {
    const CustomParameter& input = schema.inputs[std::min(i, schema.input_count - 1)];
    if (std::strcmp(input.constraint, output.constraint) == 0) dtype = inputs[i].dtype;
  }
  return dtype;
}

// The element type that ORT finds for outputs of an open type on its own.
DType GuessOf(const CustomOpSchema& schema, const NodeInputs& inputs) {
  DType dtype = DType::kUndefined;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const CustomParameter& input = schema.inputs[std::min(i, schema.input_count - 1)];
    const bool open = input.dtype == DType::kUndefined && inputs[i].dtype != DType::kUndefined;
    if (open) dtype = inputs[i].dtype;
  }
  return dtype;
}

Status SetOutput(const Api& api, OrtShapeInferContext* context, size_t index, DType dtype,
                 const Dims& dims) {
  Handle<&OrtApi::ReleaseTensorTypeAndShapeInfo> info(*api.ort);
  EP_ORT(api, ort->CreateTensorTypeAndShapeInfo(info.out()));
  EP_ORT(api,
         ort->SetTensorElementType(info.get(), static_cast<ONNXTensorElementDataType>(dtype)));
  std::vector<int64_t> sizes;
  std::vector<const char*> symbols;
  for (const Dim& dim : dims) {
    sizes.push_back(dim.size);
    symbols.push_back(dim.symbol.c_str());
  }
  EP_ORT(api, ort->SetDimensions(info.get(), sizes.data(), sizes.size()));
  EP_ORT(api, ort->SetSymbolicDimensions(info.get(), symbols.data(), symbols.size()));
  return FromOrt(api, api.ort->ShapeInferContext_SetOutputTypeShape(context, index, info.get()));
}

}  // namespace

Status InferOutputs(const Api& api, const CustomOpSchema& schema, OrtShapeInferContext* context,
                    std::atomic<uint64_t>* unknown_dims) {
  NodeInputs inputs;
  std::vector<Dims> shapes;
  EP_RETURN_IF_ERROR(ReadInputs(api, context, &inputs));
  // ORT shows an input of unknown rank as a scalar. What were inferred from that could be wrong, and
  // keep a good model from loading.
  const auto is_scalar = [](const Input& input) {
    return input.dtype != DType::kUndefined && input.dims.empty();
  };
  bool known = std::none_of(inputs.begin(), inputs.end(), is_scalar);
  if (schema.elementwise) {
    shapes.assign(schema.output_count, Broadcast(inputs));
  } else if (known) {
    known = InferByKernel(api, schema, context, inputs, &shapes).ok();
  }
  shapes.resize(schema.output_count);
  for (size_t i = 0; i < schema.output_count; ++i) {
    const CustomParameter& output = schema.outputs[i];
    const DType dtype = TypeOf(schema, output, inputs);
    if (dtype == DType::kUndefined) continue;
    // A type is never told without a shape: where that is not known, only to put ORT right.
    const bool guessed = output.dtype != DType::kUndefined || GuessOf(schema, inputs) == dtype;
    if (!known && guessed) continue;
    for (Dim& dim : shapes[i]) {
      if (dim.known() || !dim.symbol.empty()) continue;
      dim.symbol = std::string(schema.domain) + "::" + schema.op + ":" +
                   std::to_string(unknown_dims->fetch_add(1));
    }
    EP_RETURN_IF_ERROR(SetOutput(api, context, i, dtype, shapes[i]));
  }
  return Status();
}

}  // namespace <%= ns %>
