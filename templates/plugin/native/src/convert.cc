<%= banner %>
#include "convert.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace <%= ns %>::native {
namespace {

const char* ErrorName(StatusCode code) {
  switch (code) {
    case StatusCode::kInvalidArgument: return "InvalidArgumentError";
    case StatusCode::kNotImplemented: return "NotSupportedError";
    case StatusCode::kDeviceLost: return "DeviceLostError";
    case StatusCode::kOk:
    case StatusCode::kFailed: break;
  }
  return "KernelError";
}

DType TypeOf(nb::dlpack::dtype dtype) {
  if (dtype.lanes != 1) return DType::kUndefined;
  const int bits = dtype.bits;
  switch (static_cast<nb::dlpack::dtype_code>(dtype.code)) {
    case nb::dlpack::dtype_code::Bool:
      return bits == 8 ? DType::kBool : DType::kUndefined;
    case nb::dlpack::dtype_code::Int:
      return bits == 8    ? DType::kInt8
             : bits == 16 ? DType::kInt16
             : bits == 32 ? DType::kInt32
             : bits == 64 ? DType::kInt64
                          : DType::kUndefined;
    case nb::dlpack::dtype_code::UInt:
      return bits == 8    ? DType::kUint8
             : bits == 16 ? DType::kUint16
             : bits == 32 ? DType::kUint32
             : bits == 64 ? DType::kUint64
                          : DType::kUndefined;
    case nb::dlpack::dtype_code::Float:
      return bits == 16   ? DType::kFloat16
             : bits == 32 ? DType::kFloat32
             : bits == 64 ? DType::kFloat64
                          : DType::kUndefined;
    default: return DType::kUndefined;
  }
}

// The type and the shape of an array; raises unless its elements follow each other.
template <class Array>
Tensor View(const Array& array) {
  Tensor tensor;
  tensor.raw = array.data();
  tensor.dtype = TypeOf(array.dtype());
  for (size_t i = 0; i < array.ndim(); ++i) {
    tensor.shape.push_back(static_cast<int64_t>(array.shape(i)));
  }
  if (tensor.dtype == DType::kUndefined) throw nb::type_error("an array has no such element type");
  int64_t step = 1;
  for (size_t i = array.ndim(); i-- > 0 && tensor.size() != 0;) {
    if (tensor.shape[i] != 1 && array.stride(i) != step) throw nb::value_error("not contiguous");
    step *= tensor.shape[i];
  }
  return tensor;
}

float ToFloat(nb::handle value) {
  const double number = nb::cast<double>(value);
  if (std::isfinite(number) && std::abs(number) > std::numeric_limits<float>::max()) {
    throw nb::value_error("a number is too large for float32");
  }
  return static_cast<float>(number);
}

std::string ToText(nb::handle value) {
  if (!nb::isinstance<nb::bytes>(value)) return nb::cast<std::string>(value);
  const auto bytes = nb::borrow<nb::bytes>(value);
  return std::string(bytes.c_str(), bytes.size());
}

TensorValue ToTensor(nb::handle value) {
  const auto array = nb::cast<InputArray>(value);
  const Tensor tensor = View(array);
  TensorValue held{tensor.dtype, tensor.shape, {}};
  const auto* bytes = static_cast<const unsigned char*>(tensor.raw);
  const size_t size = static_cast<size_t>(tensor.size()) * SizeOf(tensor.dtype);
  if (size != 0) held.bytes.assign(bytes, bytes + size);
  return held;
}

template <class T, class Convert>
std::vector<T> ToList(nb::handle value, Convert convert) {
  std::vector<T> items;
  for (nb::handle item : value) items.push_back(convert(item));
  return items;
}

Value ToValue(const std::string& kind, nb::handle value) {
  const auto integer = [](nb::handle item) { return nb::cast<int64_t>(item); };
  if (kind == "int") return integer(value);
  if (kind == "float") return ToFloat(value);
  if (kind == "string") return ToText(value);
  if (kind == "ints") return ToList<int64_t>(value, integer);
  if (kind == "floats") return ToList<float>(value, ToFloat);
  if (kind == "strings") return ToList<std::string>(value, ToText);
  if (kind == "tensor") return ToTensor(value);
  throw nb::type_error("there is no such kind of attribute");
}

}  // namespace

void RaiseIfError(const Status& status, const std::string& label) {
  if (status.ok()) return;
  const std::string text = label.empty() ? status.message() : label + ": " + status.message();
  const auto size = static_cast<Py_ssize_t>(text.size());
  // Names in a text may be any bytes.
  const nb::object message = nb::steal(PyUnicode_DecodeUTF8(text.data(), size, "replace"));
  const nb::object errors = nb::module_::import_(<%= errors_module | cpp_string %>);
  PyErr_SetObject(errors.attr(ErrorName(status.code())).ptr(), message.ptr());
  throw nb::python_error();
}

Tensor ViewInput(const InputArray& array) { return View(array); }

void* ViewOutput(const OutputArray& array, const MutableTensor& wanted) {
  const Tensor tensor = View(array);
  if (tensor.dtype != wanted.dtype || tensor.shape != wanted.shape) {
    throw nb::value_error("an array for an output has another type or shape");
  }
  return array.data();
}

void ReadAttributes(const nb::list& attributes, CallNode* node) {
  for (nb::handle item : attributes) {
    const auto entry = nb::cast<nb::tuple>(item);
    const auto kind = nb::cast<std::string>(entry[1]);
    node->Set(nb::cast<std::string>(entry[0]), ToValue(kind, entry[2]));
  }
}

}  // namespace <%= ns %>::native
