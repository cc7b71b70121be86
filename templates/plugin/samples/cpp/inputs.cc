<%= banner %>
#include "inputs.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>

#include "element_type.h"
#include "failure.h"
#include "files.h"
#include "npy.h"

namespace sample {
namespace {

// An input as the model declares it.
struct Declared {
  std::string name;
  const ElementType* type;
  bool ranked;
  std::vector<int64_t> shape;        // -1: open
  std::vector<std::string> symbols;  // the names of open dimensions; empty where they have none
};

// The sizes of the open dimensions that have names, and who says so.
struct Size {
  int64_t size;
  std::string by;
};
using Sizes = std::map<std::string, Size>;

std::string Text(const std::vector<int64_t>& shape) { return ShapeText(shape.data(), shape.size()); }

// [N, 4]
std::string Text(const Declared& input) {
  std::string text;
  for (size_t i = 0; i < input.shape.size(); ++i) {
    const std::string open = input.symbols[i].empty() ? "?" : input.symbols[i];
    text += (i == 0 ? "" : ", ") + (input.shape[i] < 0 ? open : std::to_string(input.shape[i]));
  }
  return "[" + text + "]";
}

Declared Describe(const Ort::Session& session, const std::string& name, size_t index) {
  const Ort::TypeInfo info = session.GetInputTypeInfo(index);
  if (info.GetONNXType() != ONNX_TYPE_TENSOR) {
    throw Failure("input " + name + " is no tensor, which is all that this sample makes");
  }
  const Ort::ConstTensorTypeAndShapeInfo tensor = info.GetTensorTypeAndShapeInfo();
  const ElementType* type = FindElementType(tensor.GetElementType());
  if (type == nullptr) {
    throw Failure("input " + name + " has elements of ONNX type " +
                  std::to_string(tensor.GetElementType()) + ", which this sample does not make");
  }
  Declared input{name, type, tensor.HasShape(), {}, {}};
  if (!input.ranked) return input;
  input.shape = tensor.GetShape();
  for (const char* symbol : tensor.GetSymbolicDimensions()) {
    input.symbols.emplace_back(symbol != nullptr ? symbol : "");
  }
  return input;
}

template <typename T>
std::string Listed(const T& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

void CheckNames(const std::vector<Declared>& inputs, const std::vector<std::string>& names,
                const Arguments& arguments) {
  for (const auto& [name, file] : arguments.inputs) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw Failure("the model has no input " + name + "; it has: " + Listed(names));
    }
  }
  std::vector<std::string> open;
  for (const Declared& input : inputs) {
    for (const std::string& symbol : input.symbols) {
      const bool known = std::find(open.begin(), open.end(), symbol) != open.end();
      if (!symbol.empty() && !known) open.push_back(symbol);
    }
  }
  for (const auto& [name, size] : arguments.dims) {
    if (std::find(open.begin(), open.end(), name) == open.end()) {
      throw Failure("the model's inputs have no open dimension " + name +
                    "; they have: " + Listed(open));
    }
  }
}

// An array for an input; the sizes of its dimensions hold for the other inputs, too.
NpyArray Load(const Declared& input, const std::string& given, Sizes* sizes) {
  const std::filesystem::path file = GivenFile(given, "the array", "--input " + input.name);
  NpyArray array = ReadNpy(file);
  const std::string start = file.string() + " does not fit input " + input.name + ": ";
  // numpy calls raw bytes |V2 or <V2.
  const std::string plain = array.type.substr(1);
  if (plain != std::string(input.type->npy).substr(1)) {
    throw Failure(start + "its elements are " + array.type + ", not " + input.type->npy + " (" +
                  input.type->name + ")");
  }
  if (!input.ranked) return array;
  bool fits = array.shape.size() == input.shape.size();
  for (size_t i = 0; fits && i < input.shape.size(); ++i) {
    fits = input.shape[i] < 0 || input.shape[i] == array.shape[i];
  }
  if (!fits) {
    throw Failure(start + "its shape is " + Text(array.shape) + ", not " + Text(input));
  }
  for (size_t i = 0; i < input.shape.size(); ++i) {
    if (input.shape[i] >= 0 || input.symbols[i].empty()) continue;
    const auto [known, fresh] = sizes->try_emplace(input.symbols[i], Size{array.shape[i], file.string()});
    if (!fresh && known->second.size != array.shape[i]) {
      throw Failure(start + "dimension " + input.symbols[i] + " is " +
                    std::to_string(array.shape[i]) + " there, but " +
                    std::to_string(known->second.size) + " by " + known->second.by);
    }
  }
  return array;
}

// The shape of an input that no array gives.
std::vector<int64_t> Choose(const Declared& input, Sizes* sizes) {
  std::vector<int64_t> shape = input.shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0) continue;
    const std::string& symbol = input.symbols[i];
    const auto known = symbol.empty() ? sizes->end() : sizes->find(symbol);
    shape[i] = known != sizes->end() ? known->second.size : 1;
    if (known != sizes->end()) continue;
    if (symbol.empty()) {
      std::printf("dimension %zu of input %s has no name: 1\n", i, input.name.c_str());
    } else {
      std::printf("dimension %s: 1 (--dim %s=SIZE changes it)\n", symbol.c_str(), symbol.c_str());
      sizes->emplace(symbol, Size{1, "default"});
    }
  }
  return shape;
}

Ort::Value NewTensor(const ElementType& type, const std::vector<int64_t>& shape) {
  Ort::AllocatorWithDefaultOptions allocator;
  return Ort::Value::CreateTensor(allocator, shape.data(), shape.size(), type.onnx);
}

}  // namespace

Inputs MakeInputs(const Ort::Session& session, const Arguments& arguments) {
  Inputs made;
  made.names = session.GetInputNames();
  std::vector<Declared> inputs;
  for (size_t i = 0; i < made.names.size(); ++i) {
    inputs.push_back(Describe(session, made.names[i], i));
  }
  CheckNames(inputs, made.names, arguments);

  Sizes sizes;
  for (const auto& [name, size] : arguments.dims) sizes.emplace(name, Size{size, "--dim"});
  std::map<std::string, NpyArray> arrays;
  for (const Declared& input : inputs) {
    const auto given = arguments.inputs.find(input.name);
    if (given != arguments.inputs.end()) arrays[input.name] = Load(input, given->second, &sizes);
  }
  int seed = 0;
  for (const Declared& input : inputs) {
    ++seed;
    const auto array = arrays.find(input.name);
    const bool given = array != arrays.end();
    const std::vector<int64_t> shape = given ? array->second.shape : Choose(input, &sizes);
    const size_t count = CountElements(shape.data(), shape.size());
    Ort::Value value = NewTensor(*input.type, shape);
    auto* data = static_cast<char*>(value.GetTensorMutableRawData());
    if (given && count > 0) std::memcpy(data, array->second.data.data(), array->second.data.size());
    if (!given) FillPattern(*input.type, count, seed, data);
    const std::string origin = given ? arguments.inputs.at(input.name) : "a pattern";
    std::printf("input %s: %s %s, %s\n", input.name.c_str(), input.type->name, Text(shape).c_str(),
                origin.c_str());
    made.values.push_back(std::move(value));
  }
  return made;
}

}  // namespace sample
