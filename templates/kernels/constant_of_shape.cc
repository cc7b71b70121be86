<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// One element type of each size is enough: the bits are copied, whatever they mean.
template <class T>
Status Fill(const TensorValue& value, MutableTensor& output, Exec& exec) {
  T element;
  std::memcpy(&element, value.bytes.data(), sizeof element);
  T* y = output.data<T>();
  ParallelFor(exec, output.size(), 1, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = element;
  });
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  TensorValue& value = attrs.value;
  bool found = false;
  EP_RETURN_IF_ERROR(node.Get("value", &value, &found));
  if (!found) {
    const float zero = 0.0f;
    value.dtype = DType::kFloat32;
    value.bytes.resize(sizeof zero);
    std::memcpy(value.bytes.data(), &zero, sizeof zero);
    return Status();
  }
  EP_RETURN_IF_ERROR(CheckShape(value.shape));
  if (ElementCount(value.shape) == 1 && SizeOf(value.dtype) != 0 && value.bytes.size() == SizeOf(value.dtype)) return Status();
  return InvalidArgument(Text() << "value of shape " << value.shape << " is not one element");
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(ReadIntegers(inputs[0], "the shape", &shapes[0]));
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs, Outputs outputs, Exec& exec) {
  if (outputs[0].dtype != attrs.value.dtype) return InvalidArgument("the output is of another type than value");
  switch (SizeOf(attrs.value.dtype)) {
    case 1:
      return Fill<uint8_t>(attrs.value, outputs[0], exec);
    case 2:
      return Fill<uint16_t>(attrs.value, outputs[0], exec);
    case 4:
      return Fill<uint32_t>(attrs.value, outputs[0], exec);
    case 8:
      return Fill<uint64_t>(attrs.value, outputs[0], exec);
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, attrs.value.dtype);
  }
}

}  // namespace <%= ns %>
