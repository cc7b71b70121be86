<%= banner %>
#include "element_type.h"

#include <onnxruntime_cxx_api.h>

#include <cstdio>
#include <cstring>
#include <type_traits>

#include "failure.h"

namespace sample {
namespace {

// Values of a pattern: i counts the elements.
int Step(size_t i, int seed) { return static_cast<int>((i * 7 + static_cast<size_t>(seed) * 5) % 19); }

template <typename T>
T PatternValue(size_t i, int seed) {
  const float real = static_cast<float>(Step(i, seed)) / 8.0F - 1.0F;
  if constexpr (std::is_same_v<T, bool>) {
    return Step(i, seed) % 2 == 1;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(Step(i, seed) % 3);
  } else {
    return T(real);
  }
}

template <typename T>
std::string ValueText(T value) {
  char text[64];
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<T, double>) {
    std::snprintf(text, sizeof(text), "%.17g", value);
    return text;
  } else if constexpr (std::is_same_v<T, float>) {
    std::snprintf(text, sizeof(text), "%.9g", static_cast<double>(value));
    return text;
  } else {
    return ValueText(value.ToFloat());
  }
}

template <typename T>
void Fill(size_t count, int seed, char* to) {
  for (size_t i = 0; i < count; ++i) {
    const T value = PatternValue<T>(i, seed);
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

template <typename T>
std::string Text(const char* element) {
  T value{};
  std::memcpy(&value, element, sizeof(T));
  return ValueText(value);
}

// What is done with a type that C++ has.
struct Known {
  ElementType type;
  void (*fill)(size_t count, int seed, char* to);
  std::string (*text)(const char* element);
};

template <typename T>
constexpr Known Row(ONNXTensorElementDataType onnx, const char* name, const char* npy) {
  return {{onnx, name, npy, sizeof(T)}, &Fill<T>, &Text<T>};
}

// Raw bytes: 8-bit floats in the formats of ONNX.
void FillBytes(size_t count, int seed, char* to) {
  for (size_t i = 0; i < count; ++i) to[i] = static_cast<char>(0x38 + Step(i, seed) % 3);
}

std::string ByteText(const char* element) {
  char text[8];
  std::snprintf(text, sizeof(text), "0x%02X", static_cast<unsigned>(static_cast<uint8_t>(*element)));
  return text;
}

constexpr Known Bytes(ONNXTensorElementDataType onnx, const char* name) {
  return {{onnx, name, "|V1", 1}, &FillBytes, &ByteText};
}

// Two numbers in a row.
template <typename T>
void FillComplex(size_t count, int seed, char* to) {
  Fill<T>(2 * count, seed, to);
}

template <typename T>
std::string ComplexText(const char* element) {
  return "(" + Text<T>(element) + ", " + Text<T>(element + sizeof(T)) + ")";
}

template <typename T>
constexpr Known Complex(ONNXTensorElementDataType onnx, const char* name, const char* npy) {
  return {{onnx, name, npy, 2 * sizeof(T)}, &FillComplex<T>, &ComplexText<T>};
}

constexpr Known kKnown[] = {
    Row<float>(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, "float32", "<f4"),
    Row<double>(ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, "float64", "<f8"),
    Row<Ort::Float16_t>(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, "float16", "<f2"),
    Row<Ort::BFloat16_t>(ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, "bfloat16", "|V2"),
    Row<int8_t>(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, "int8", "|i1"),
    Row<int16_t>(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, "int16", "<i2"),
    Row<int32_t>(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, "int32", "<i4"),
    Row<int64_t>(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, "int64", "<i8"),
    Row<uint8_t>(ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, "uint8", "|u1"),
    Row<uint16_t>(ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, "uint16", "<u2"),
    Row<uint32_t>(ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, "uint32", "<u4"),
    Row<uint64_t>(ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, "uint64", "<u8"),
    Row<bool>(ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, "bool", "|b1"),
    Complex<float>(ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64, "complex64", "<c8"),
    Complex<double>(ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128, "complex128", "<c16"),
    Bytes(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, "float8e4m3fn"),
    Bytes(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ, "float8e4m3fnuz"),
    Bytes(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2, "float8e5m2"),
    Bytes(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ, "float8e5m2fnuz"),
};

const Known* Find(ONNXTensorElementDataType onnx) {
  for (const Known& known : kKnown) {
    if (known.type.onnx == onnx) return &known;
  }
  return nullptr;
}

}  // namespace

const ElementType* FindElementType(ONNXTensorElementDataType onnx) {
  const Known* known = Find(onnx);
  return known != nullptr ? &known->type : nullptr;
}

void FillPattern(const ElementType& type, size_t count, int seed, char* to) {
  Find(type.onnx)->fill(count, seed, to);
}

std::string ElementText(const ElementType& type, const char* element) {
  return Find(type.onnx)->text(element);
}

size_t CountElements(const int64_t* sizes, size_t rank) {
  constexpr uint64_t kMost = uint64_t{1} << 40;
  uint64_t count = 1;
  for (size_t i = 0; i < rank; ++i) {
    const auto size = static_cast<uint64_t>(sizes[i]);
    if (size != 0 && count > kMost / size) {
      throw Failure("a tensor of shape " + ShapeText(sizes, rank) +
                    " is too large: choose smaller sizes");
    }
    count *= size;
  }
  return static_cast<size_t>(count);
}

std::string ShapeText(const int64_t* sizes, size_t rank) {
  std::string text;
  for (size_t i = 0; i < rank; ++i) text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
  return "[" + text + "]";
}

}  // namespace sample
