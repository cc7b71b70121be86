<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/rows.h"

namespace <%= ns %> {
namespace {

// <%= k.p.doc %>
template <class T>
struct PoolPlane {
  const T* x;
  T* y;
  int64_t count;

  template <class Threads>
  EP_DEVICE void operator()(int64_t plane, const Threads& threads) const {
    const T* from = x + plane * count;
<% if k.p.kind == "max" %>
    const T result = threads.Join(
        count, from[0], [&](int64_t i) { return from[i]; }, [](T a, T b) { return b > a ? b : a; });
<% else %>
    const double sum = threads.Join(
        count, 0.0, [&](int64_t i) { return static_cast<double>(from[i]); },
        [](double a, double b) { return a + b; });
    const T result = static_cast<T>(sum / static_cast<double>(count));
<% endif %>
    threads.Once([&] { y[plane] = result; });
  }
};

template <class T>
Status Pool(int64_t count, Inputs inputs, Outputs outputs, Exec& exec) {
  const PoolPlane<T> body{inputs[0].data<T>(), outputs[0].data<T>(), count};
  return LaunchRows(exec, outputs[0].size(), count, 1, body);
}

}  // namespace

<% include "kernels/global_pool.inc" %>

}  // namespace <%= ns %>
