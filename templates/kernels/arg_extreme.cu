<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/extreme.h"
#include "gen/kernels/support/rows.h"

namespace <%= ns %> {
namespace {

struct IsBetter {
  template <class T>
  EP_HOST_DEVICE bool operator()(T a, T b) const {
    return a <%= k.p.better %> b;
  }
};

// The index of <%= k.p.doc %> of `count` elements that lie `step` apart.
template <class T>
struct FindInRow {
  const T* x;
  int64_t* y;
  int64_t count;
  int64_t step;
  bool last;

  template <class Threads>
  EP_DEVICE void operator()(int64_t row, const Threads& threads) const {
    const T* from = x + row / step * count * step + row % step;
    const int64_t found = FindExtreme(threads, from, count, step, last, IsBetter());
    threads.Once([&] { y[row] = found; });
  }
};

template <class T>
Status Find(int64_t count, int64_t step, bool last, Inputs inputs, Outputs outputs, Exec& exec) {
  const FindInRow<T> body{inputs[0].data<T>(), outputs[0].data<int64_t>(), count, step, last};
  return LaunchRows(exec, outputs[0].size(), count, step, body);
}

}  // namespace

<% include "kernels/arg_extreme.inc" %>

}  // namespace <%= ns %>
