<% from "kernels/parts.inc" import cases %>
<% from "kernels/nhwc.inc" import inputs_of, nhwc_read_and_infer, see_inputs %>
<% from "kernels/pool.inc" import resolve, windows, read_and_infer %>
<%= banner %>
#include "<%= k.header %>"

<% if k.p.kind == "max" %>
#include <limits>
<% endif %>

<% if k.p.kind == "lp" %>
#include "gen/kernels/support/arithmetic.h"
<% endif %>
<% if k.base %>
#include "gen/kernels/support/channels_last.h"
<% endif %>
#include "gen/kernels/support/checks.h"
<% if k.p.kind == "lp" %>
#include "gen/kernels/support/math.h"
<% endif %>

namespace <%= ns %> {
namespace {

<%= resolve(k) %>

<%= windows(k, "", "TapsInside", k.attrs) %>

template <class T>
Status Pool(const <%= k.attrs %>&<% if not k.base or k.p.kind != "max" %> attrs<% endif %>, const Window& window, Inputs inputs, Outputs outputs,
            Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const T* x = inputs[0].data<T>();
<% if k.base %>
  T* y = outputs[0].data<T>();
  const int64_t channels = shape[1];
  const int64_t pixels = window.output_size();
  ParallelFor(exec, shape[0] * pixels, channels * window.taps(), [&](int64_t begin, int64_t end) {
    for (int64_t pixel = begin; pixel < end; ++pixel) {
      const T* image = x + pixel / pixels * window.input_size() * channels;
      const int64_t row = pixel % pixels / window.width.output;
      const Region region = RegionOf(window, row / window.height.output,
                                     row % window.height.output, pixel % window.width.output);
      for (int64_t channel = 0; channel < channels; ++channel) {
        const T* plane = image + channel;
<% if k.p.kind == "max" %>
        const int64_t at = FindLargest(window, region, plane, channels);
        const T largest = at < 0 ? std::numeric_limits<T>::lowest() : plane[at * channels];
        y[pixel * channels + channel] = largest;
<% else %>
        y[pixel * channels + channel] = PoolWindow(attrs, window, region, plane, channels);
<% endif %>
      }
    }
  });
  return Status();
}
<% else %>
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
<% endif %>

}  // namespace

<% if k.base %>
<%= nhwc_read_and_infer(k) %>
<% else %>
<%= read_and_infer(k) %>
<% endif %>

Status Compute(const <%= k.attrs %>& attrs, Inputs <%= inputs_of(k) %>, Outputs outputs, Exec& exec) {
<%= see_inputs(k) -%>
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
