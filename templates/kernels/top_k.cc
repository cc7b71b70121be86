<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/sort.h"

namespace <%= ns %> {
namespace {

// The order of the results for elements that lie `step` apart: the best one first, and of equal ones
// the first. NaN is larger than every number.
template <class T>
struct Ranking {
  const T* x;
  int64_t step;
  bool largest;

  bool IsBetter(int64_t a, int64_t b) const {
    const T x_a = x[a * step];
    const T x_b = x[b * step];
    if (largest ? IsBelow(x_b, x_a) : IsBelow(x_a, x_b)) return true;
    if (largest ? IsBelow(x_a, x_b) : IsBelow(x_b, x_a)) return false;
    return a < b;
  }
};

// Moves the index at `at` down a heap of `count` indices, `step` apart, whose worst one is on top.
template <class T>
void SiftDown(const Ranking<T>& ranking, int64_t* heap, int64_t step, int64_t count, int64_t at) {
  const int64_t moved = heap[at * step];
  for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && ranking.IsBetter(heap[child * step], heap[(child + 1) * step])) ++child;
    if (!ranking.IsBetter(moved, heap[child * step])) break;
    heap[at * step] = heap[child * step];
    at = child;
  }
  heap[at * step] = moved;
}

// The indices of the `k` best of `count` elements, sorted: those found so far are kept in a heap, on
// top of which is the one to go next.
template <class T>
void FindBest(const Ranking<T>& ranking, int64_t count, int64_t k, int64_t* found) {
  const int64_t step = ranking.step;
  for (int64_t i = 0; i < k; ++i) found[i * step] = i;
  for (int64_t i = k / 2; i-- > 0;) SiftDown(ranking, found, step, k, i);
  for (int64_t i = k; i < count; ++i) {
    if (!ranking.IsBetter(i, found[0])) continue;
    found[0] = i;
    SiftDown(ranking, found, step, k, int64_t{0});
  }
  for (int64_t i = k; i-- > 1;) {
    const int64_t worst = found[0];
    found[0] = found[i * step];
    found[i * step] = worst;
    SiftDown(ranking, found, step, i, int64_t{0});
  }
}

template <class T>
Status Find(const <%= k.attrs %>& attrs, size_t axis, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const int64_t count = shape[axis];
  const int64_t k = outputs[0].shape[axis];
  const int64_t step = Product(shape, axis + 1, shape.size());
  const T* x = inputs[0].data<T>();
  T* values = outputs[0].data<T>();
  int64_t* indices = outputs[1].data<int64_t>();
  if (outputs[0].size() == 0) return Status();
  ParallelFor(exec, Product(shape, 0, axis) * step, 4 * count, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const Ranking<T> ranking{x + line / step * count * step + line % step, step, attrs.largest};
      const int64_t first = line / step * k * step + line % step;
      FindBest(ranking, count, k, indices + first);
      for (int64_t i = 0; i < k; ++i) values[first + i * step] = ranking.x[indices[first + i * step] * step];
    }
  });
  return Status();
}

}  // namespace

// The results are always sorted: nothing is promised of the order that `sorted` of 0 asks for.
Status Read(const Node& node, <%= k.attrs %>& attrs) {
  int64_t largest = 1;
  bool found = false;
  EP_RETURN_IF_ERROR(node.Get("axis", &attrs.axis));
  EP_RETURN_IF_ERROR(node.Get("k", &attrs.k, &found));
  EP_RETURN_IF_ERROR(node.Get("largest", &largest));
  attrs.largest = largest != 0;
  if (node.SinceVersion() == 1 && !found) return InvalidArgument("the attribute k is missing");
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, x.size(), &axis));
  std::vector<int64_t> k{attrs.k};
  if (inputs.has(1)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "K", &k));
  if (k.size() != 1 || k[0] < 0 || k[0] > x[axis]) {
    return InvalidArgument(Text() << "K " << k << " for an axis of " << x[axis] << " elements");
  }
  for (Shape& shape : shapes) {
    shape = x;
    shape[axis] = k[0];
  }
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  size_t axis = 0;
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, inputs[0].shape.size(), &axis));
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Find", "attrs, axis, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
