<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// The index of <%= k.p.doc %> of `count` elements that lie `step` apart.
template <class T>
int64_t FindIn(const T* x, int64_t count, int64_t step, bool last) {
  int64_t found = 0;
  for (int64_t i = 1; i < count; ++i) {
    const T best = x[found * step];
    const T value = x[i * step];
    if (value <%= k.p.better %> best || (last && value == best)) found = i;
  }
  return found;
}

template <class T>
Status Find(int64_t count, int64_t step, bool last, Inputs inputs, Outputs outputs, Exec& exec) {
  const T* x = inputs[0].data<T>();
  int64_t* y = outputs[0].data<int64_t>();
  ParallelFor(exec, outputs[0].size(), count, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      y[i] = FindIn(x + i / step * count * step + i % step, count, step, last);
    }
  });
  return Status();
}

}  // namespace

<% include "kernels/arg_extreme.inc" %>

}  // namespace <%= ns %>
