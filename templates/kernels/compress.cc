<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// What is chosen from: `rows` times `dim` items of `item` elements; without an axis, all elements.
struct Layout {
  int64_t rows = 1;
  int64_t dim = 1;
  int64_t item = 1;
};

Status Resolve(const <%= k.attrs %>& attrs, const Shape& x, Layout* layout) {
  if (!attrs.has_axis) {
    layout->dim = ElementCount(x);
    return Status();
  }
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, x.size(), &axis));
  *layout = {Product(x, 0, axis), x[axis], Product(x, axis + 1, x.size())};
  return Status();
}

// The positions of what is true. The condition may be shorter than the axis, and longer.
std::vector<int64_t> Chosen(const Tensor& condition, int64_t dim) {
  std::vector<int64_t> chosen;
  const bool* wanted = condition.data<bool>();
  const int64_t count = condition.size() < dim ? condition.size() : dim;
  for (int64_t i = 0; i < count; ++i) {
    if (wanted[i]) chosen.push_back(i);
  }
  return chosen;
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  Layout layout;
  EP_RETURN_IF_ERROR(Resolve(attrs, x, &layout));
  EP_RETURN_IF_ERROR(CheckRank(inputs[1].shape, 1, "the condition"));
  const int64_t count = static_cast<int64_t>(Chosen(inputs[1], layout.dim).size());
  if (!attrs.has_axis) {
    shapes[0] = {count};
    return Status();
  }
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, x.size(), &axis));
  shapes[0] = x;
  shapes[0][axis] = count;
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Layout layout;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs[0].shape, &layout));
  const std::vector<int64_t> chosen = Chosen(inputs[1], layout.dim);
  const int64_t count = static_cast<int64_t>(chosen.size());
  const int64_t bytes = layout.item * static_cast<int64_t>(SizeOf(inputs[0].dtype));
  const char* from = inputs[0].data<char>();
  char* to = outputs[0].data<char>();
  ParallelFor(exec, layout.rows * count, bytes / 8 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t source = i / count * layout.dim + chosen[static_cast<size_t>(i % count)];
      std::memcpy(to + i * bytes, from + source * bytes, static_cast<size_t>(bytes));
    }
  });
  return Status();
}

}  // namespace <%= ns %>
