<% from "kernels/parts.inc" import cases %>
<% from "kernels/pool.inc" import resolve, windows, read_and_infer %>
<%= banner %>
#include "<%= k.header %>"

<% if k.p.kind == "max" %>
#include <limits>
<% endif %>

<% if k.p.kind == "lp" %>
#include "gen/kernels/support/arithmetic.h"
<% endif %>
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/device.h"
#include "gen/kernels/support/launch.h"
<% if k.p.kind == "lp" %>
#include "gen/kernels/support/math.h"
<% endif %>

namespace <%= ns %> {
namespace {

<%= resolve(k) %>

// What the node says, for the device.
struct Options {
<% if k.p.kind == "max" %>
  bool column_major;
<% elif k.p.kind == "average" %>
  bool count_include_pad;
<% else %>
  int64_t p;
<% endif %>
};

<%= windows(k, "EP_DEVICE ", "TapsOnDevice", "Options") %>

template <class T>
struct PoolBody {
  const T* x;
  T* y;
<% if k.p.kind == "max" %>
  int64_t* indices;
<% endif %>
  Window window;
  Options options;
<% if k.p.kind == "max" %>
  T lowest;  // of a window that sees nothing
<% endif %>

  EP_DEVICE void operator()(int64_t i) const {
    const int64_t pixels = window.output_size();
    const int64_t base = i / pixels * window.input_size();
    const int64_t row = i % pixels / window.width.output;
    const Region region = RegionOf(window, row / window.height.output, row % window.height.output,
                                   i % window.width.output);
<% if k.p.kind == "max" %>
    const int64_t at = FindLargest(window, region, x + base);
    if (y != nullptr) y[i] = at < 0 ? lowest : x[base + at];
    if (indices != nullptr) {
      indices[i] = base + (options.column_major && at > 0 ? ColumnMajor(window, at) : at);
    }
<% else %>
    y[i] = PoolWindow(options, window, region, x + base);
<% endif %>
  }
};

template <class T>
Status Pool(const <%= k.attrs %>& attrs, const Window& window, Inputs inputs, Outputs outputs,
            Exec& exec) {
  const Shape& shape = inputs[0].shape;
<% if k.p.kind == "max" %>
  T* y = outputs.has(0) ? outputs[0].data<T>() : nullptr;
  int64_t* indices = outputs.has(1) ? outputs[1].data<int64_t>() : nullptr;
  const PoolBody<T> body{inputs[0].data<T>(), y, indices, window,
                         {attrs.column_major}, std::numeric_limits<T>::lowest()};
<% else %>
  const Options options{attrs.<% if k.p.kind == "average" %>count_include_pad<% else %>p<% endif %>};
  const PoolBody<T> body{inputs[0].data<T>(), outputs[0].data<T>(), window, options};
<% endif %>
  return Launch(exec, shape[0] * shape[1] * window.output_size(), body);
}

}  // namespace

<%= read_and_infer(k) %>

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
