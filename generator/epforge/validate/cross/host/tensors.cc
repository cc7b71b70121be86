#include "tensors.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File Open(const std::string& path, bool write) {
#ifdef _WIN32
  File file(_wfopen(Native(path).c_str(), write ? L"wb" : L"rb"), std::fclose);
#else
  File file(std::fopen(path.c_str(), write ? "wb" : "rb"), std::fclose);
#endif
  if (!file) throw std::runtime_error("cannot open " + path);
  return file;
}

void Read(std::FILE* file, void* to, std::size_t size) {
  if (size != 0 && std::fread(to, 1, size, file) != size) {
    throw std::runtime_error("a file of tensors ends too early");
  }
}

void Write(std::FILE* file, const void* from, std::size_t size) {
  if (size != 0 && std::fwrite(from, 1, size, file) != size) {
    throw std::runtime_error("cannot write a file of tensors");
  }
}

template <typename T>
T ReadOne(std::FILE* file) {
  T value{};
  Read(file, &value, sizeof value);
  return value;
}

template <typename T>
void WriteOne(std::FILE* file, T value) {
  Write(file, &value, sizeof value);
}

std::string ReadText(std::FILE* file) {
  std::string text(ReadOne<std::uint32_t>(file), '\0');
  Read(file, text.data(), text.size());
  return text;
}

void WriteText(std::FILE* file, const std::string& text) {
  WriteOne(file, static_cast<std::uint32_t>(text.size()));
  Write(file, text.data(), text.size());
}

// A tensor of strings has the text of each element, any other its bytes.
void ReadValue(std::FILE* file, Tensor* tensor, ONNXTensorElementDataType type,
               const std::vector<std::int64_t>& shape) {
  OrtValue* made = nullptr;
  const auto size = static_cast<std::size_t>(ReadOne<std::uint64_t>(file));
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    OrtAllocator* allocator = nullptr;
    Check(ort->GetAllocatorWithDefaultOptions(&allocator));
    Check(ort->CreateTensorAsOrtValue(allocator, shape.data(), shape.size(), type, &made));
    tensor->value.reset(made);
    std::vector<std::string> texts(size);
    std::vector<const char*> pointers;
    for (std::string& text : texts) {
      text = ReadText(file);
      pointers.push_back(text.c_str());
    }
    Check(ort->FillStringTensor(made, pointers.data(), pointers.size()));
    return;
  }
  tensor->bytes.resize(size / sizeof(std::max_align_t) + 1);
  Read(file, tensor->bytes.data(), size);
  OrtMemoryInfo* info = nullptr;
  Check(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &info));
  const auto owned = Own(info, ort->ReleaseMemoryInfo);
  Check(ort->CreateTensorWithDataAsOrtValue(info, tensor->bytes.data(), size, shape.data(),
                                            shape.size(), type, &made));
  tensor->value.reset(made);
}

void WriteStrings(std::FILE* file, const OrtValue* value, std::size_t count) {
  WriteOne(file, static_cast<std::uint64_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t length = 0;
    Check(ort->GetStringTensorElementLength(value, i, &length));
    std::string text(length, '\0');
    Check(ort->GetStringTensorElement(value, length, i, text.data()));
    WriteText(file, text);
  }
}

void WriteTensor(std::FILE* file, const std::string& name, OrtValue* value) {
  int is_tensor = 0;
  Check(ort->IsTensor(value, &is_tensor));
  if (is_tensor == 0) throw std::runtime_error("output " + name + " is no tensor");
  OrtTensorTypeAndShapeInfo* info = nullptr;
  Check(ort->GetTensorTypeAndShape(value, &info));
  const auto owned = Own(info, ort->ReleaseTensorTypeAndShapeInfo);
  ONNXTensorElementDataType type{};
  std::size_t rank = 0;
  std::size_t count = 0;
  Check(ort->GetTensorElementType(info, &type));
  Check(ort->GetDimensionsCount(info, &rank));
  Check(ort->GetTensorShapeElementCount(info, &count));
  std::vector<std::int64_t> shape(rank);
  Check(ort->GetDimensions(info, shape.data(), rank));
  WriteText(file, name);
  WriteOne(file, static_cast<std::uint32_t>(type));
  WriteOne(file, static_cast<std::uint32_t>(rank));
  Write(file, shape.data(), rank * sizeof(std::int64_t));
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    WriteStrings(file, value, count);
    return;
  }
  std::size_t size = 0;
  void* data = nullptr;
  Check(ort->GetTensorSizeInBytes(value, &size));
  Check(ort->GetTensorMutableData(value, &data));
  WriteOne(file, static_cast<std::uint64_t>(size));
  Write(file, data, size);
}

}  // namespace

std::vector<Tensor> ReadTensors(const std::string& path) {
  const File file = Open(path, false);
  std::vector<Tensor> tensors(ReadOne<std::uint32_t>(file.get()));
  for (Tensor& tensor : tensors) {
    tensor.name = ReadText(file.get());
    const auto type = static_cast<ONNXTensorElementDataType>(ReadOne<std::uint32_t>(file.get()));
    std::vector<std::int64_t> shape(ReadOne<std::uint32_t>(file.get()));
    Read(file.get(), shape.data(), shape.size() * sizeof(std::int64_t));
    ReadValue(file.get(), &tensor, type, shape);
  }
  return tensors;
}

void WriteTensors(const std::string& path, const std::vector<std::string>& names,
                  const std::vector<OrtValue*>& values) {
  const File file = Open(path, true);
  WriteOne(file.get(), static_cast<std::uint32_t>(names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) WriteTensor(file.get(), names[i], values[i]);
  if (std::fflush(file.get()) != 0) throw std::runtime_error("cannot write " + path);
}
