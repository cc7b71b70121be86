<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  bool found = false;
  EP_RETURN_IF_ERROR(node.Get("axis", &attrs.axis, &found));
  if (!found && node.SinceVersion() > 1) return InvalidArgument("the attribute axis is missing");
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  Shape result = inputs[0].shape;
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, result.size(), &axis));
  for (size_t i = 1; i < inputs.size(); ++i) {
    EP_RETURN_IF_ERROR(CheckShape(result));
    Shape shape = inputs[i].shape;
    if (shape.size() != result.size()) {
      return BadShape(<%= k.label | cpp_string %>, i, shape, "has another rank than the first one");
    }
    result[axis] += shape[axis];
    shape[axis] = result[axis];
    if (shape != result) {
      return BadShape(<%= k.label | cpp_string %>, i, inputs[i].shape, "differs from the first one in other axes, too");
    }
  }
  EP_RETURN_IF_ERROR(CheckShape(result));
  shapes[0] = result;
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& y = outputs[0].shape;
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, y.size(), &axis));
  const int64_t rows = Product(y, 0, axis);
  const int64_t item = Product(y, axis + 1, y.size()) * static_cast<int64_t>(SizeOf(inputs[0].dtype));
  const int64_t y_row = y[axis] * item;
  char* to = outputs[0].data<char>();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int64_t x_row = inputs[i].shape[axis] * item;
    EP_RETURN_IF_ERROR(CopyRows(exec, to, y_row, inputs[i].raw, x_row, rows, x_row));
    to += x_row;
  }
  return Status();
}

}  // namespace <%= ns %>
