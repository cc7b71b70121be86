<% from "kernels/scatter.inc" import combine, is_reducing, read_reduction %>
<%= banner %>
#include "<%= k.header %>"

<% if is_reducing(k) %>
#include "gen/kernels/support/arithmetic.h"
<% endif %>
#include "gen/kernels/support/checks.h"
<% if is_reducing(k) %>
#include "gen/kernels/support/choice.h"
<% endif %>
#include "gen/kernels/support/copy.h"
#include "gen/kernels/support/positions.h"

namespace <%= ns %> {
namespace {

<%= combine(k) %>

Status CheckShapes(const Shape& data, const Shape& indices, const Shape& updates, size_t axis) {
  if (updates != indices) {
    return InvalidArgument(Text() << "updates of shape " << updates << " for indices of shape " << indices);
  }
  bool fits = indices.size() == data.size();
  for (size_t i = 0; fits && i < data.size(); ++i) fits = i == axis || indices[i] <= data[i];
  if (fits) return Status();
  return InvalidArgument(Text() << "indices of shape " << indices << " do not fit into shape " << data);
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
<%= read_reduction(k) -%>
  return node.Get("axis", &attrs.axis);
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  shapes[0] = inputs[0].shape;
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, shapes[0].size(), &axis));
  return CheckShapes(shapes[0], inputs[1].shape, inputs[2].shape, axis);
}

// Updates that may fall on one element lie in one line along the axis. A line is worked off in its
// order by one thread: the result is the same every time.
Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& data = inputs[0].shape;
  const Shape& dims = inputs[1].shape;
  size_t axis = 0;
  std::vector<int64_t> positions;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, data.size(), &axis));
  EP_RETURN_IF_ERROR(ReadPositions(inputs[1], data[axis], &positions));
  const Combine combine = CombineFor(attrs, inputs[0].dtype);
  if (combine == nullptr) return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  const int64_t bytes = static_cast<int64_t>(SizeOf(inputs[0].dtype));
  EP_RETURN_IF_ERROR(CopyBytes(exec, outputs[0].raw, inputs[0].raw, static_cast<size_t>(inputs[0].size() * bytes)));
  if (positions.empty()) return Status();

  const std::vector<int64_t> strides = DenseStrides(dims);
  const std::vector<int64_t> data_strides = DenseStrides(data);
  const int64_t count = dims[axis];
  const char* x = inputs[2].data<char>();
  char* y = outputs[0].data<char>();
  ParallelFor(exec, inputs[1].size() / count, 4 * count, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      int64_t rest = line;
      int64_t from = 0;
      int64_t to = 0;
      for (size_t i = dims.size(); i-- > 0;) {
        if (i == axis) continue;
        from += rest % dims[i] * strides[i];
        to += rest % dims[i] * data_strides[i];
        rest /= dims[i];
      }
      for (int64_t i = 0; i < count; ++i, from += strides[axis]) {
        const int64_t place = to + positions[static_cast<size_t>(from)] * data_strides[axis];
        combine(y + place * bytes, x + from * bytes, 1);
      }
    }
  });
  return Status();
}

}  // namespace <%= ns %>
