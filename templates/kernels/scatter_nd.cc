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

}  // namespace

<% if is_reducing(k) %>
Status Read(const Node& node, <%= k.attrs %>& attrs) {
<%= read_reduction(k) -%>
  return Status();
}
<% else %>
Status Read(const Node&, <%= k.attrs %>&) { return Status(); }
<% endif %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& data = inputs[0].shape;
  const Shape& indices = inputs[1].shape;
  if (indices.empty() || indices.back() < 1 || indices.back() > static_cast<int64_t>(data.size())) {
    return InvalidArgument(Text() << "indices of shape " << indices << " for data of shape " << data);
  }
  Shape updates(indices.begin(), indices.end() - 1);
  updates.insert(updates.end(), data.begin() + static_cast<std::ptrdiff_t>(indices.back()), data.end());
  if (inputs[2].shape != updates) {
    return InvalidArgument(Text() << "updates of shape " << inputs[2].shape << " instead of " << updates);
  }
  shapes[0] = data;
  return Status();
}

// Any two updates may fall on one slice. So threads share the elements of a slice, not the updates,
// and each works off all updates in their order: the result is the same every time.
Status Compute(const <%= k.attrs %>&<% if is_reducing(k) %> attrs<% endif %>, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& data = inputs[0].shape;
  std::vector<int64_t> slices;
  EP_RETURN_IF_ERROR(ReadTuples(inputs[1], data, 0, &slices));
  const Combine combine = CombineFor(<% if is_reducing(k) %>attrs<% else %>{}<% endif %>, inputs[0].dtype);
  if (combine == nullptr) return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  const int64_t bytes = static_cast<int64_t>(SizeOf(inputs[0].dtype));
  EP_RETURN_IF_ERROR(CopyBytes(exec, outputs[0].raw, inputs[0].raw, static_cast<size_t>(inputs[0].size() * bytes)));
  const int64_t length = Product(data, static_cast<size_t>(inputs[1].shape.back()), data.size());
  const int64_t count = static_cast<int64_t>(slices.size());
  const char* x = inputs[2].data<char>();
  char* y = outputs[0].data<char>();
  ParallelFor(exec, length, count, [&](int64_t begin, int64_t end) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t place = slices[static_cast<size_t>(i)] * length + begin;
      combine(y + place * bytes, x + (i * length + begin) * bytes, end - begin);
    }
  });
  return Status();
}

}  // namespace <%= ns %>
