<% from "kernels/parts.inc" import cases, read %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/sort.h"

namespace <%= ns %> {
namespace {

// What is told apart: `dim` slices along an axis, each of `rows` runs of `item` elements; without an
// axis, the elements.
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
  if (layout->dim > 0 && layout->rows * layout->item == 0) {
    return InvalidArgument(Text() << "the slices of shape " << x << " are empty");
  }
  return Status();
}

// Slices in the order of their elements. NaN is behind every number, and one is like another.
template <class T>
struct SliceIsLess {
  const T* x;
  Layout layout;

  bool operator()(int64_t a, int64_t b) const {
    for (int64_t row = 0; row < layout.rows; ++row) {
      const T* x_a = x + (row * layout.dim + a) * layout.item;
      const T* x_b = x + (row * layout.dim + b) * layout.item;
      for (int64_t i = 0; i < layout.item; ++i) {
        if (IsBelow(x_a[i], x_b[i])) return true;
        if (IsBelow(x_b[i], x_a[i])) return false;
      }
    }
    return false;
  }
};

// Groups of equal slices.
struct Groups {
  std::vector<int64_t> first;   // of each group, the first slice
  std::vector<int64_t> counts;  // of each group
  std::vector<int64_t> of;      // of each slice, its group
};

// Numbers groups by their first slices.
void SortByFirst(Groups* groups) {
  std::vector<int64_t> numbers(groups->first.size(), -1);
  Groups sorted;
  for (size_t i = 0; i < groups->of.size(); ++i) {
    const size_t group = static_cast<size_t>(groups->of[i]);
    if (numbers[group] < 0) {
      numbers[group] = static_cast<int64_t>(sorted.first.size());
      sorted.first.push_back(static_cast<int64_t>(i));
      sorted.counts.push_back(groups->counts[group]);
    }
    sorted.of.push_back(numbers[group]);
  }
  *groups = sorted;
}

template <class T>
Status FindGroups(const Tensor& x, const Layout& layout, Groups* groups) {
  const SliceIsLess<T> is_less{x.data<T>(), layout};
  const size_t count = static_cast<size_t>(layout.dim);
  std::vector<int64_t> order(count);
  std::vector<int64_t> spare(count);
  for (size_t i = 0; i < count; ++i) order[i] = static_cast<int64_t>(i);
  SortStably(order.data(), spare.data(), layout.dim, is_less);
  groups->of.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (i == 0 || is_less(order[i - 1], order[i])) {
      groups->first.push_back(order[i]);
      groups->counts.push_back(0);
    }
    ++groups->counts.back();
    groups->of[static_cast<size_t>(order[i])] = static_cast<int64_t>(groups->first.size()) - 1;
  }
  return Status();
}

Status Find(const <%= k.attrs %>& attrs, const Tensor& x, Layout* layout, Groups* groups) {
  EP_RETURN_IF_ERROR(Resolve(attrs, x.shape, layout));
  const auto find = [&] {
    switch (x.dtype) {
      <%= cases(k.t, "FindGroups", "x, *layout, groups") -%>
      default:
        return UnsupportedType(<%= k.label | cpp_string %>, x.dtype);
    }
  };
  EP_RETURN_IF_ERROR(find());
  if (attrs.sorted == 0) SortByFirst(groups);
  return Status();
}

void Write(const std::vector<int64_t>& numbers, const MutableTensor* y) {
  if (y == nullptr || numbers.empty()) return;
  std::memcpy(y->raw, numbers.data(), numbers.size() * sizeof(int64_t));
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Layout layout;
  Groups groups;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(Find(attrs, inputs[0], &layout, &groups));
  const int64_t count = static_cast<int64_t>(groups.first.size());
  for (Shape& shape : shapes) shape = {count};
  if (shapes.size() > 2) shapes[2] = {layout.dim};
  if (!attrs.has_axis) return Status();
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, inputs[0].shape.size(), &axis));
  shapes[0] = inputs[0].shape;
  shapes[0][axis] = count;
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Layout layout;
  Groups groups;
  EP_RETURN_IF_ERROR(Find(attrs, inputs[0], &layout, &groups));
  Write(groups.first, outputs.at(1));
  Write(groups.of, outputs.at(2));
  Write(groups.counts, outputs.at(3));
  if (!outputs.has(0)) return Status();
  const int64_t count = static_cast<int64_t>(groups.first.size());
  const int64_t bytes = layout.item * static_cast<int64_t>(SizeOf(inputs[0].dtype));
  const char* from = inputs[0].data<char>();
  char* to = outputs[0].data<char>();
  ParallelFor(exec, layout.rows * count, bytes / 8 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t source = i / count * layout.dim + groups.first[static_cast<size_t>(i % count)];
      std::memcpy(to + i * bytes, from + source * bytes, static_cast<size_t>(bytes));
    }
  });
  return Status();
}

}  // namespace <%= ns %>
