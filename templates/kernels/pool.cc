<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

<% if k.p.kind == "max" %>
#include <limits>
<% endif %>

<% if k.p.kind == "lp" %>
#include "gen/kernels/support/arithmetic.h"
<% endif %>
#include "gen/kernels/support/checks.h"
<% if k.p.kind == "lp" %>
#include "gen/kernels/support/math.h"
<% endif %>

namespace <%= ns %> {
namespace {

Status Resolve(const <%= k.attrs %>& attrs, const Shape& x, Window* window, Shape* output) {
  const std::vector<int64_t>& kernel = attrs.window.kernel;
  EP_RETURN_IF_ERROR(LayWindow(attrs.window, kernel.data(), kernel.size(), x, window, output));
  for (const Slide* slide : {&window->depth, &window->height, &window->width}) {
    if (slide->pad_begin > slide->reach() || slide->pad_end > slide->reach()) {
      return InvalidArgument("a window lies in the padding only");
    }
  }
  return CheckShape(*output);
}

// The taps of one window that fall inside of a plane, and where the first tap (inside or not) is.
struct Region {
  Taps z, y, x;
  int64_t z_start, y_start, x_start;
};

Region RegionOf(const Window& window, int64_t oz, int64_t oy, int64_t ox) {
  Region region;
  region.z_start = window.depth.start(oz);
  region.y_start = window.height.start(oy);
  region.x_start = window.width.start(ox);
  region.z = TapsInside(window.depth, region.z_start);
  region.y = TapsInside(window.height, region.y_start);
  region.x = TapsInside(window.width, region.x_start);
  return region;
}

// Calls visit(z, y, x) for the position of every tap inside of the plane, in order.
template <class Visit>
void ForEachTap(const Window& window, const Region& region, Visit visit) {
  for (int64_t kz = region.z.begin; kz < region.z.end; ++kz) {
    const int64_t z = region.z_start + kz * window.depth.dilation;
    for (int64_t ky = region.y.begin; ky < region.y.end; ++ky) {
      const int64_t y = region.y_start + ky * window.height.dilation;
      for (int64_t kx = region.x.begin; kx < region.x.end; ++kx) {
        visit(z, y, region.x_start + kx * window.width.dilation);
      }
    }
  }
}

<% if k.p.kind == "max" %>
// Where in the plane the first of the largest elements of a window is; -1 for a window that sees
// nothing, as a dilated one may.
template <class T>
int64_t FindLargest(const Window& window, const Region& region, const T* plane) {
  int64_t found = -1;
  T largest{};
  ForEachTap(window, region, [&](int64_t z, int64_t y, int64_t x) {
    const int64_t at = (z * window.height.input + y) * window.width.input + x;
    if (found >= 0 && !(plane[at] > largest)) return;
    largest = plane[at];
    found = at;
  });
  return found;
}

// Counts the elements of a plane column by column instead.
int64_t ColumnMajor(const Window& window, int64_t at) {
  const int64_t row = at / window.width.input;
  const int64_t x = at % window.width.input;
  const int64_t y = row % window.height.input;
  return (x * window.height.input + y) * window.depth.input + row / window.height.input;
}
<% elif k.p.kind == "average" %>
// How many taps of a window fall before the end of the padding.
int64_t PaddedTaps(const Slide& slide, int64_t start) {
  const int64_t room = slide.input + slide.pad_end - start;
  const int64_t fit = (room + slide.dilation - 1) / slide.dilation;
  return fit < slide.kernel ? fit : slide.kernel;
}

// The mean of a window. A window that sees nothing, as a dilated one may, has the mean 0.
template <class T>
T PoolWindow(const <%= k.attrs %>& attrs, const Window& window, const Region& region,
             const T* plane) {
  double sum = 0;
  int64_t count = 0;
  ForEachTap(window, region, [&](int64_t z, int64_t y, int64_t x) {
    sum += static_cast<double>(plane[(z * window.height.input + y) * window.width.input + x]);
    ++count;
  });
  if (attrs.count_include_pad) {
    count = PaddedTaps(window.depth, region.z_start) * PaddedTaps(window.height, region.y_start) *
            PaddedTaps(window.width, region.x_start);
  }
  return count == 0 ? T{} : static_cast<T>(sum / static_cast<double>(count));
}
<% else %>
// The p-norm of a window.
template <class T>
T PoolWindow(const <%= k.attrs %>& attrs, const Window& window, const Region& region,
             const T* plane) {
  const double p = static_cast<double>(attrs.p);
  double sum = 0;
  ForEachTap(window, region, [&](int64_t z, int64_t y, int64_t x) {
    const T value = plane[(z * window.height.input + y) * window.width.input + x];
    sum += Pow(Magnitude(static_cast<double>(value)), p);
  });
  return static_cast<T>(Pow(sum, 1 / p));
}
<% endif %>

template <class T>
Status Pool(const <%= k.attrs %>& attrs, const Window& window, Inputs inputs, Outputs outputs,
            Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const T* x = inputs[0].data<T>();
<% if k.p.kind == "max" %>
  T* y = outputs.has(0) ? outputs[0].data<T>() : nullptr;
  int64_t* indices = outputs.has(1) ? outputs[1].data<int64_t>() : nullptr;
<% else %>
  T* y = outputs[0].data<T>();
<% endif %>
  const int64_t pixels = window.output_size();
  ParallelFor(exec, shape[0] * shape[1], pixels * window.taps(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * pixels; i < end * pixels; ++i) {
      const int64_t base = i / pixels * window.input_size();
      const int64_t row = i % pixels / window.width.output;
      const Region region = RegionOf(window, row / window.height.output,
                                     row % window.height.output, i % window.width.output);
<% if k.p.kind == "max" %>
      const int64_t at = FindLargest(window, region, x + base);
      if (y != nullptr) y[i] = at < 0 ? std::numeric_limits<T>::lowest() : x[base + at];
      if (indices != nullptr) {
        indices[i] = base + (attrs.column_major && at > 0 ? ColumnMajor(window, at) : at);
      }
<% else %>
      y[i] = PoolWindow(attrs, window, region, x + base);
<% endif %>
    }
  });
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  EP_RETURN_IF_ERROR(ReadWindow(node, &attrs.window));
  if (attrs.window.kernel.empty()) return InvalidArgument("the attribute kernel_shape is missing");
<% if k.p.kind == "max" %>
  int64_t storage_order = 0;
  EP_RETURN_IF_ERROR(node.Get("storage_order", &storage_order));
  attrs.column_major = storage_order != 0;
<% elif k.p.kind == "average" %>
  int64_t count_include_pad = 0;
  EP_RETURN_IF_ERROR(node.Get("count_include_pad", &count_include_pad));
  attrs.count_include_pad = count_include_pad != 0;
<% else %>
  EP_RETURN_IF_ERROR(node.Get("p", &attrs.p));
  if (attrs.p < 1) return InvalidArgument(Text() << "p is " << attrs.p);
<% endif %>
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Window window;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs[0].shape, &window, &shapes[0]));
<% if k.p.kind == "max" %>
  if (shapes.size() > 1) shapes[1] = shapes[0];
<% endif %>
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Window window;
  Shape shape;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs[0].shape, &window, &shape));
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Pool", "attrs, window, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
