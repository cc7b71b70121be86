<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {
namespace {

// What is taken of one axis: `count` elements, from `start` on, `step` apart.
struct Range {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

int64_t Clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : (value > high ? high : value);
}

// Resolves start:end:step on an axis of `dim` elements. Any of the three may be far out of range,
// which means "as far as there are elements".
Status Resolve(int64_t start, int64_t end, int64_t step, int64_t dim, Range* range) {
  if (step == 0) return InvalidArgument("a step is 0");
  range->step = Clamp(step, -dim - 1, dim + 1);  // longer steps take no more elements
  if (start < 0) start += dim;
  if (end < 0) end += dim;
  if (step > 0) {
    range->start = Clamp(start, 0, dim);
    const int64_t length = Clamp(end, 0, dim) - range->start;
    if (length > 0) range->count = (length - 1) / range->step + 1;
  } else {
    range->start = Clamp(start, -1, dim - 1);
    const int64_t length = range->start - Clamp(end, -1, dim - 1);
    if (length > 0) range->count = (length - 1) / -range->step + 1;
  }
  return Status();
}

// What is taken of every axis of the input.
Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, std::vector<Range>* ranges) {
  const Shape& x = inputs[0].shape;
  std::vector<int64_t> starts = attrs.starts;
  std::vector<int64_t> ends = attrs.ends;
  std::vector<int64_t> axes = attrs.axes;
  if (inputs.has(1)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "starts", &starts));
  if (inputs.has(2)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[2], "ends", &ends));
  if (inputs.has(3)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[3], "axes", &axes));
  std::vector<int64_t> steps(starts.size(), 1);
  if (inputs.has(4)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[4], "steps", &steps));
  if (axes.empty()) {
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()) {
    return InvalidArgument("starts, ends, axes and steps differ in length");
  }
  std::vector<bool> named;
  EP_RETURN_IF_ERROR(ResolveAxes(axes, x.size(), &named));
  ranges->clear();
  for (int64_t dim : x) ranges->push_back({0, 1, dim});
  for (size_t i = 0; i < axes.size(); ++i) {
    size_t axis = 0;
    EP_RETURN_IF_ERROR(ResolveAxis(axes[i], x.size(), &axis));
    Range range;
    EP_RETURN_IF_ERROR(Resolve(starts[i], ends[i], steps[i], x[axis], &range));
    (*ranges)[axis] = range;
  }
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  EP_RETURN_IF_ERROR(node.Get("starts", &attrs.starts));
  EP_RETURN_IF_ERROR(node.Get("ends", &attrs.ends));
  return node.Get("axes", &attrs.axes);
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  std::vector<Range> ranges;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &ranges));
  shapes[0].clear();
  for (const Range& range : ranges) shapes[0].push_back(range.count);
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  std::vector<Range> ranges;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &ranges));
  const size_t size = SizeOf(inputs[0].dtype);
  std::vector<int64_t> strides = DenseStrides(inputs[0].shape);
  int64_t offset = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    offset += ranges[i].start * strides[i];
    strides[i] *= ranges[i].step;
  }
  const char* from = inputs[0].data<char>() + offset * static_cast<int64_t>(size);
  return CopyStrided(exec, outputs[0].raw, from, outputs[0].shape, strides, size);
}

}  // namespace <%= ns %>
