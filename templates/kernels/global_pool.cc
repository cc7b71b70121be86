<%= banner %>
#include "<%= k.header %>"

<% if k.base %>
#include "gen/kernels/support/channels_last.h"
<% endif %>
#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// <%= k.p.doc %>
template <class T>
T PoolPlane(const T* plane, int64_t count<% if k.base %>, int64_t step<% endif %>) {
<% if k.p.kind == "max" %>
  T largest = plane[0];
  for (int64_t i = 1; i < count; ++i) {
<% if k.base %>
    if (plane[i * step] > largest) largest = plane[i * step];
<% else %>
    if (plane[i] > largest) largest = plane[i];
<% endif %>
  }
  return largest;
<% else %>
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(plane[i<% if k.base %> * step<% endif %>]);
  return static_cast<T>(sum / static_cast<double>(count));
<% endif %>
}

template <class T>
Status Pool(int64_t count, Inputs inputs, Outputs outputs, Exec& exec) {
  const T* x = inputs[0].data<T>();
  T* y = outputs[0].data<T>();
<% if k.base %>
  const int64_t channels = inputs[0].shape[1];
<% endif %>
  ParallelFor(exec, outputs[0].size(), count, [&](int64_t begin, int64_t end) {
<% if k.base %>
    for (int64_t i = begin; i < end; ++i) {
      const T* image = x + i / channels * channels * count;
      y[i] = PoolPlane(image + i % channels, count, channels);
    }
<% else %>
    for (int64_t i = begin; i < end; ++i) y[i] = PoolPlane(x + i * count, count);
<% endif %>
  });
  return Status();
}

}  // namespace

<% include "kernels/global_pool.inc" %>

}  // namespace <%= ns %>
