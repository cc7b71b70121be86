<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// The determinant of the `n` rows of `n` numbers at `a`, which it overwrites: elimination with the
// largest number of each column as its pivot.
double Determinant(double* a, int64_t n) {
  double product = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (Magnitude(a[i * n + k]) > Magnitude(a[pivot * n + k])) pivot = i;
    }
    if (pivot != k) {
      product = -product;
      for (int64_t j = k; j < n; ++j) {
        const double other = a[k * n + j];
        a[k * n + j] = a[pivot * n + j];
        a[pivot * n + j] = other;
      }
    }
    const double diagonal = a[k * n + k];
    product *= diagonal;
    if (diagonal == 0) return product;
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / diagonal;
      for (int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return product;
}

template <class T>
Status Eliminate(Inputs inputs, Outputs outputs, Exec& exec) {
  const int64_t n = inputs[0].shape.back();
  const T* x = inputs[0].data<T>();
  T* y = outputs[0].data<T>();
  const int64_t count = outputs[0].size();
  if (count == 0) return Status();
  void* memory = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(inputs[0].size()) * sizeof(double), &memory));
  double* copy = static_cast<double*>(memory);
  ParallelFor(exec, count, n * n + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      double* matrix = copy + i * n * n;
      for (int64_t j = 0; j < n * n; ++j) matrix[j] = static_cast<double>(x[i * n * n + j]);
      y[i] = static_cast<T>(Determinant(matrix, n));
    }
  });
  return Status();
}

}  // namespace

Status Read(const Node&, <%= k.attrs %>&) { return Status(); }

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[0].shape;
  if (x.size() < 2 || x[x.size() - 1] != x[x.size() - 2]) {
    return BadShape(<%= k.label | cpp_string %>, 0, x, "must be of square matrices");
  }
  shapes[0].assign(x.begin(), x.end() - 2);
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Eliminate", "inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
