<% from "kernels/parts.inc" import read, cases %>
<% from "kernels/gemm.inc" import infer_shapes %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/matrix_product.h"

namespace <%= ns %> {
namespace {

// y = c, where c has one row or those of y, one column or the n of y.
template <class T>
struct SpreadBody {
  const T* c;
  T* y;
  int64_t n;
  int64_t row_stride;
  int64_t col_stride;

  EP_DEVICE void operator()(int64_t i) const { y[i] = c[i / n * row_stride + i % n * col_stride]; }
};

template <class T>
Status Spread(const Tensor& c, MutableTensor& y, Exec& exec) {
  const Shape& shape = c.shape;
  const bool one_col = shape.empty() || shape.back() == 1;
  const bool one_row = shape.size() < 2 || shape[0] == 1;
  const int64_t n = y.shape[1];
  const int64_t row_stride = one_row ? 0 : (one_col ? 1 : n);
  const SpreadBody<T> body{c.data<T>(), y.data<T>(), n, row_stride, one_col ? 0 : 1};
  return Launch(exec, y.size(), body);
}

template <class T>
Status Multiply(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& shape = outputs[0].shape;
  MatrixProduct product;
  product.dtype = inputs[0].dtype;
  product.m = shape[0];
  product.n = shape[1];
  product.depth = inputs[0].shape[attrs.transA != 0 ? 0 : 1];
  product.a_transposed = attrs.transA != 0;
  product.b_transposed = attrs.transB != 0;
  product.a = inputs[0].raw;
  product.b = inputs[1].raw;
  product.c = outputs[0].raw;
  product.alpha = static_cast<double>(attrs.alpha);
  if (inputs.has(2) && attrs.beta != 0.0f) {
    EP_RETURN_IF_ERROR(Spread<T>(inputs[2], outputs[0], exec));
    product.beta = static_cast<double>(attrs.beta);
  }
  return MultiplyMatrices<T>(product, Broadcast(), exec);
}

}  // namespace

<%= read(k) %>

<%= infer_shapes(k) %>

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  switch (inputs[0].dtype) {
<%= cases(k.t, "Multiply", "attrs, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
