<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {

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
  const size_t bytes = SizeOf(attrs.value.dtype);
  if (bytes == 0) return UnsupportedType(<%= k.label | cpp_string %>, attrs.value.dtype);
  return FillElements(exec, outputs[0].raw, outputs[0].size(), attrs.value.bytes.data(), bytes);
}

}  // namespace <%= ns %>
