<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
<% if k.p.kind == "hardmax" %>
#include "gen/kernels/support/extreme.h"
<% else %>
#include "gen/kernels/support/math.h"
<% endif %>
#include "gen/kernels/support/rows.h"

namespace <%= ns %> {
namespace {

// <%= k.p.doc %>
template <class T>
struct NormalizeRow {
  const T* x;
  T* y;
  int64_t count;
  int64_t step;

  template <class Threads>
  EP_DEVICE void operator()(int64_t row, const Threads& threads) const {
    const int64_t start = row / step * count * step + row % step;
    const T* from = x + start;
    T* to = y + start;
<% if k.p.kind == "hardmax" %>
    const int64_t largest = FindExtreme(threads, from, count, step, false, IsLarger());
    threads.ForEach(count, [&](int64_t i) { to[i * step] = i == largest ? T{1} : T{0}; });
<% else %>
    // Taken off first, so that exp cannot overflow.
    const T largest = threads.Join(
        count, from[0], [&](int64_t i) { return from[i * step]; }, [](T a, T b) { return b > a ? b : a; });
<% if k.p.kind == "log" %>
    const double sum = threads.Join(
        count, 0.0, [&](int64_t i) { return static_cast<double>(Exp(from[i * step] - largest)); },
        [](double a, double b) { return a + b; });
    const T log_sum = static_cast<T>(Log(sum));
    threads.ForEach(count, [&](int64_t i) { to[i * step] = from[i * step] - largest - log_sum; });
<% else %>
    const double sum = threads.Join(
        count, 0.0,
        [&](int64_t i) {
          const T value = Exp(from[i * step] - largest);
          to[i * step] = value;
          return static_cast<double>(value);
        },
        [](double a, double b) { return a + b; });
    const T scale = static_cast<T>(1 / sum);
    threads.ForEach(count, [&](int64_t i) { to[i * step] *= scale; });
<% endif %>
<% endif %>
  }
};

template <class T>
Status Normalize(int64_t count, int64_t step, Inputs inputs, Outputs outputs, Exec& exec) {
  const NormalizeRow<T> body{inputs[0].data<T>(), outputs[0].data<T>(), count, step};
  return LaunchRows(exec, inputs[0].size() / count, count, step, body);
}

}  // namespace

<% include "kernels/softmax.inc" %>

}  // namespace <%= ns %>
