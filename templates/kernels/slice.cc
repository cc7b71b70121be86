<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {
namespace {

// What is taken: along axis i `counts[i]` elements, from `starts[i]` on, `steps[i]` apart.
struct Ranges {
  std::vector<int64_t> starts;
  std::vector<int64_t> steps;
  Shape counts;
};

int64_t Clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : (value > high ? high : value);
}

// Resolves start:end:step on an axis of `dim` elements; returns how many elements are taken. Any of
// the three may be far out of range, which means "as far as there are elements".
int64_t ResolveOne(int64_t dim, int64_t* start, int64_t end, int64_t* step) {
  *step = Clamp(*step, -dim - 1, dim + 1);  // longer steps take no more elements
  if (*start < 0) *start += dim;
  if (end < 0) end += dim;
  if (*step > 0) {
    *start = Clamp(*start, 0, dim);
    const int64_t length = Clamp(end, 0, dim) - *start;
    return length > 0 ? (length - 1) / *step + 1 : 0;
  }
  *start = Clamp(*start, -1, dim - 1);
  const int64_t length = *start - Clamp(end, -1, dim - 1);
  return length > 0 ? (length - 1) / -*step + 1 : 0;
}

Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, Ranges* ranges) {
  const Shape& x = inputs[0].shape;
  std::vector<int64_t> starts = attrs.starts;
  std::vector<int64_t> ends = attrs.ends;
  std::vector<int64_t> axes = attrs.axes;
  std::vector<int64_t> steps;
  if (inputs.has(1)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "starts", &starts));
  if (inputs.has(2)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[2], "ends", &ends));
  if (inputs.has(3)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[3], "axes", &axes));
  if (inputs.has(4)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[4], "steps", &steps));
  if (steps.empty()) steps.assign(starts.size(), 1);
  if (axes.empty()) {
    axes = starts;  // as many
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  }
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()) {
    return InvalidArgument("starts, ends, axes and steps differ in length");
  }
  EP_RETURN_IF_ERROR(NormalizeAxes(x.size(), &axes));
  ranges->starts.assign(x.size(), 0);
  ranges->steps.assign(x.size(), 1);
  ranges->counts = x;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (steps[i] == 0) return InvalidArgument("a step is 0");
    const size_t axis = static_cast<size_t>(axes[i]);
    ranges->counts[axis] = ResolveOne(x[axis], &starts[i], ends[i], &steps[i]);
    ranges->starts[axis] = starts[i];
    ranges->steps[axis] = steps[i];
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
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  Ranges ranges;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &ranges));
  shapes[0] = ranges.counts;
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Ranges ranges;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &ranges));
  const size_t size = SizeOf(inputs[0].dtype);
  std::vector<int64_t> strides = DenseStrides(inputs[0].shape);
  int64_t offset = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    offset += ranges.starts[i] * strides[i];
    strides[i] *= ranges.steps[i];
  }
  const char* from = inputs[0].data<char>() + offset * static_cast<int64_t>(size);
  return CopyStrided(exec, outputs[0].raw, from, outputs[0].shape, strides, size);
}

}  // namespace <%= ns %>
