<% from "kernels/parts.inc" import cases, read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"
#include "gen/kernels/support/random.h"

namespace <%= ns %> {
namespace {

template <class T>
bool IsFinite(T x) {
  return !IsNan(x) && !IsInfinite(x);
}

// The chances of the classes, each added to those before it, from logarithms that need not be of
// chances that make 1. What is not finite is left out. Gives the sum of all.
template <class T>
double AddUp(const T* logs, int64_t classes, double* sums) {
  double largest = 0;
  bool any = false;
  for (int64_t i = 0; i < classes; ++i) {
    if (!IsFinite(logs[i])) continue;
    const double value = static_cast<double>(logs[i]);
    if (!any || value > largest) largest = value;
    any = true;
  }
  double sum = 0;
  for (int64_t i = 0; i < classes; ++i) {
    if (IsFinite(logs[i])) sum += Exp(static_cast<double>(logs[i]) - largest);
    sums[i] = sum;
  }
  return sum;
}

// The first class whose sum is above `share`; the last one where rounding leaves none.
int64_t ClassOf(const double* sums, int64_t classes, double share) {
  int64_t low = 0;
  int64_t high = classes - 1;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (sums[middle] > share) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

template <class T>
Status Draw(const <%= k.attrs %>& attrs, const Tensor& x, const MutableTensor& y, Exec& exec) {
  const int64_t classes = x.shape[1];
  const int64_t samples = y.shape[1];
  const Random random(attrs.seed, attrs.has_seed);
  void* memory = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(x.size()) * sizeof(double), &memory));
  double* sums = static_cast<double*>(memory);
  ParallelFor(exec, x.shape[0], 16 * classes + 64 * samples, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      double* row_sums = sums + row * classes;
      const double total = AddUp(x.data<T>() + row * classes, classes, row_sums);
      for (int64_t i = row * samples; i < (row + 1) * samples; ++i) {
        const int64_t drawn = ClassOf(row_sums, classes, random.Uniform(i) * total);
        if (y.dtype == DType::kInt64) {
          y.data<int64_t>()[i] = drawn;
        } else {
          y.data<int32_t>()[i] = static_cast<int32_t>(drawn);
        }
      }
    }
  });
  return Status();
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  EP_RETURN_IF_ERROR(CheckRank(x, 2, "the input"));
  if (x[1] < 1 || x[1] > INT32_MAX) return InvalidArgument(Text() << "there are " << x[1] << " classes");
  if (attrs.sample_size < 1) return InvalidArgument(Text() << "sample_size is " << attrs.sample_size);
  shapes[0] = {x[0], attrs.sample_size};
  return CheckShape(shapes[0]);
}

// With a `seed` the results are the same at every call; they are not those of other libraries.
Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Draw", "attrs, inputs[0], outputs[0], exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
