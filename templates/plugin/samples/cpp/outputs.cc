<%= banner %>
#include "outputs.h"

#include <algorithm>
#include <cstdio>

#include "element_type.h"
#include "failure.h"
#include "npy.h"

namespace sample {
namespace {

constexpr size_t kShown = 8;

std::string FirstValues(const ElementType& type, const char* data, size_t count) {
  std::string text;
  for (size_t i = 0; i < std::min(count, kShown); ++i) {
    text += (i == 0 ? " " : ", ") + ElementText(type, data + i * type.size);
  }
  return text + (count > kShown ? ", ..." : "");
}

// Prints one output; writes it to `file` unless that is empty.
void Show(const std::string& name, const Ort::Value& value, const std::string& file) {
  const ElementType* type = nullptr;
  std::vector<int64_t> shape;
  if (value.HasValue() && value.IsTensor()) {
    const Ort::TensorTypeAndShapeInfo info = value.GetTensorTypeAndShapeInfo();
    type = FindElementType(info.GetElementType());
    shape = info.GetShape();
  }
  if (type == nullptr) {
    if (!file.empty()) {
      throw Failure("output " + name + " has no numbers to write: leave out --output " + name);
    }
    std::printf("output %s: not shown, only tensors of whole bytes are\n", name.c_str());
    return;
  }
  const size_t count = CountElements(shape.data(), shape.size());
  const auto* data = static_cast<const char*>(value.GetTensorRawData());
  std::printf("output %s: %s %s =%s\n", name.c_str(), type->name,
              ShapeText(shape.data(), shape.size()).c_str(),
              FirstValues(*type, data, count).c_str());
  if (!file.empty()) WriteNpy(file, type->npy, shape, data, count * type->size);
}

}  // namespace

void CheckOutputNames(const std::vector<std::string>& names, const Arguments& arguments) {
  for (const auto& [name, file] : arguments.outputs) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::string known;
    for (const std::string& each : names) known += (known.empty() ? "" : ", ") + each;
    throw Failure("the model has no output " + name + "; it has: " + known);
  }
}

void ShowOutputs(const std::vector<std::string>& names, const std::vector<Ort::Value>& values,
                 const Arguments& arguments) {
  for (size_t i = 0; i < names.size(); ++i) {
    const auto wanted = arguments.outputs.find(names[i]);
    Show(names[i], values[i], wanted != arguments.outputs.end() ? wanted->second : "");
  }
}

}  // namespace sample
