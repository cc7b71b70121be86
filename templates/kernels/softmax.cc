<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
<% if k.p.kind != "hardmax" %>
#include "gen/kernels/support/math.h"
<% endif %>

namespace <%= ns %> {
namespace {

// <%= k.p.doc %>
template <class T>
void NormalizeRow(const T* x, T* y, int64_t count, int64_t step) {
<% if k.p.kind == "hardmax" %>
  int64_t largest = 0;
  for (int64_t i = 1; i < count; ++i) {
    if (x[i * step] > x[largest * step]) largest = i;
  }
  for (int64_t i = 0; i < count; ++i) y[i * step] = i == largest ? T{1} : T{0};
<% else %>
  T largest = x[0];  // taken off first, so that exp cannot overflow
  for (int64_t i = 1; i < count; ++i) {
    if (x[i * step] > largest) largest = x[i * step];
  }
  double sum = 0;
<% if k.p.kind == "log" %>
  for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(Exp(x[i * step] - largest));
  const T log_sum = static_cast<T>(Log(sum));
  for (int64_t i = 0; i < count; ++i) y[i * step] = x[i * step] - largest - log_sum;
<% else %>
  for (int64_t i = 0; i < count; ++i) {
    const T value = Exp(x[i * step] - largest);
    y[i * step] = value;
    sum += static_cast<double>(value);
  }
  const T scale = static_cast<T>(1 / sum);
  for (int64_t i = 0; i < count; ++i) y[i * step] *= scale;
<% endif %>
<% endif %>
}

template <class T>
Status Normalize(int64_t count, int64_t step, Inputs inputs, Outputs outputs, Exec& exec) {
  const T* x = inputs[0].data<T>();
  T* y = outputs[0].data<T>();
  ParallelFor(exec, inputs[0].size() / count, 10 * count, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t start = row / step * count * step + row % step;
      NormalizeRow(x + start, y + start, count, step);
    }
  });
  return Status();
}

}  // namespace

<% include "kernels/softmax.inc" %>

}  // namespace <%= ns %>
