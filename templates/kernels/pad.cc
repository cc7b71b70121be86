<% set floats = k.t | selectattr("cpp", "in", ("float", "double")) | list %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"

namespace <%= ns %> {
namespace {

using Mode = <%= k.attrs %>::Mode;

constexpr int64_t kPadding = -1;  // instead of a position in the input

// How many elements are put before the first one of every axis, and then how many behind the last
// one of every axis. Negative ones are taken away.
Status ResolvePads(const <%= k.attrs %>& attrs, Inputs inputs, Shape* pads) {
  const size_t rank = inputs[0].shape.size();
  Shape given;
  Shape axes;
  const Shape* chosen = &attrs.pads;
  if (inputs.has(1)) {
    EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "pads", &given));
    chosen = &given;
  }
  if (inputs.has(3)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[3], "axes", &axes));
  EP_RETURN_IF_ERROR(NormalizeAxes(rank, &axes));
  const size_t count = inputs.has(3) ? axes.size() : rank;
  if (chosen->size() != 2 * count) {
    return InvalidArgument(Text() << "pads " << *chosen << " must have two values for each of " << count << " axes");
  }
  pads->assign(2 * rank, 0);
  for (size_t i = 0; i < count; ++i) {
    const size_t axis = axes.empty() ? i : static_cast<size_t>(axes[i]);
    (*pads)[axis] = (*chosen)[i];
    (*pads)[axis + rank] = (*chosen)[i + count];
  }
  return Status();
}

// Which element of an axis of `dim` elements takes place `index`, which may be outside.
int64_t SourceOf(int64_t index, int64_t dim, Mode mode) {
  if (index >= 0 && index < dim) return index;
  switch (mode) {
    case Mode::kConstant:
      return kPadding;
    case Mode::kEdge:
      return index < 0 ? 0 : dim - 1;
    case Mode::kWrap:
      return (index % dim + dim) % dim;
    case Mode::kReflect:
      break;
  }
  if (dim == 1) return 0;
  const int64_t period = 2 * (dim - 1);
  const int64_t place = (index % period + period) % period;
  return place < dim ? place : period - place;
}

// Where in the input row `row` of the output begins.
int64_t RowSource(const Shape& x, const Shape& y, const Shape& pads, Mode mode, int64_t row) {
  int64_t from = 0;
  int64_t stride = x.back();
  for (size_t i = x.size() - 1; i-- > 0;) {
    const int64_t at = SourceOf(row % y[i] - pads[i], x[i], mode);
    if (at == kPadding) return kPadding;
    from += at * stride;
    row /= y[i];
    stride *= x[i];
  }
  return from;
}

// What the rows of the output have in common.
struct RowShape {
  int64_t count;   // elements of the output
  int64_t dim;     // elements of the input
  int64_t before;  // how many elements the input is behind
  Mode mode;
  size_t bytes;  // of an element
  const char* padding;
};

// Fills a row from the row `x` of the input; from padding alone where that is null.
void FillRow(const RowShape& row, const char* x, char* y) {
  for (int64_t i = 0; i < row.count;) {
    const int64_t index = i - row.before;
    const int64_t at = x == nullptr ? kPadding : SourceOf(index, row.dim, row.mode);
    int64_t n = 1;
    if (at == index && at != kPadding) {  // inside, and so are those up to the end of either row
      n = row.dim - at < row.count - i ? row.dim - at : row.count - i;
    }
    const char* from = at == kPadding ? row.padding : x + static_cast<size_t>(at) * row.bytes;
    std::memcpy(y + static_cast<size_t>(i) * row.bytes, from, static_cast<size_t>(n) * row.bytes);
    i += n;
  }
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  constexpr const char* kModes[] = {"constant", "reflect", "edge", "wrap"};  // as Mode
  size_t mode = 0;
  EP_RETURN_IF_ERROR(ReadChoice(node, "mode", kModes, &mode));
  attrs.mode = static_cast<Mode>(mode);
  EP_RETURN_IF_ERROR(node.Get("pads", &attrs.pads));
  return node.Get("value", &attrs.value);
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  constexpr int64_t kMost = INT64_MAX / 4;  // so that sums stay exact
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  Shape pads;
  EP_RETURN_IF_ERROR(ResolvePads(attrs, inputs, &pads));
  shapes[0] = x;
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t before = pads[i];
    const int64_t behind = pads[i + x.size()];
    if (before < -kMost || before > kMost || behind < -kMost || behind > kMost) {
      return InvalidArgument("a pad is far too large");
    }
    shapes[0][i] = x[i] + before + behind;
    if (x[i] == 0 && shapes[0][i] > 0 && attrs.mode != Mode::kConstant) {
      return InvalidArgument(Text() << "axis " << i << " of shape " << x << " has nothing to repeat");
    }
  }
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  const Shape& y = outputs[0].shape;
  Shape pads;
  EP_RETURN_IF_ERROR(ResolvePads(attrs, inputs, &pads));
  const size_t bytes = SizeOf(inputs[0].dtype);
  if (bytes == 0) return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  const int64_t zero = 0;  // of every type
  const void* padding = &zero;
<% if floats %>
  // As an attribute the value goes with floating-point numbers only.
<% for enumerator, cpp in floats %>
  const <%= cpp %> value_<%= cpp %> = attrs.value;
  if (inputs[0].dtype == DType::<%= enumerator %>) padding = &value_<%= cpp %>;
<% endfor %>
<% endif %>
  if (inputs.has(2) && inputs[2].size() > 0) padding = inputs[2].raw;

  // A scalar is a row of one element.
  RowShape shape{1, 1, 0, attrs.mode, bytes, static_cast<const char*>(padding)};
  if (!x.empty()) {
    shape.count = y.back();
    shape.dim = x.back();
    shape.before = pads[x.size() - 1];
  }
  const int64_t row_bytes = shape.count * static_cast<int64_t>(bytes);
  ParallelFor(exec, outputs[0].size() / shape.count, row_bytes / 8 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t from = x.empty() ? 0 : RowSource(x, y, pads, attrs.mode, row);
      const char* source = inputs[0].data<char>();
      source = from == kPadding ? nullptr : source + from * static_cast<int64_t>(bytes);
      FillRow(shape, source, outputs[0].data<char>() + row * row_bytes);
    }
  });
  return Status();
}

}  // namespace <%= ns %>
