<% from "kernels/parts.inc" import read, cases %>
<% from "kernels/gemm.inc" import infer_shapes %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/gemm.h"

namespace <%= ns %> {
namespace {

// Fills the m x n matrix y with beta * c, where c has one row or m, one column or n.
template <class T>
void FillScaled(const Tensor& c, T beta, int64_t m, int64_t n, T* y, Exec& exec) {
  const Shape& shape = c.shape;
  const bool one_col = shape.empty() || shape.back() == 1;
  const bool one_row = shape.size() < 2 || shape[0] == 1;
  const MatrixView<T> values{c.data<T>(), one_row ? 0 : (one_col ? 1 : n), one_col ? 0 : 1};
  ParallelFor(exec, m, n, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < n; ++j) y[i * n + j] = beta * *values.at(i, j);
    }
  });
}

template <class T>
class OneProduct final : public Products<T> {
 public:
  OneProduct(const ProductSizes& sizes, const <%= k.attrs %>& attrs, Inputs inputs, bool adds, T* y)
      : Products<T>(sizes),
        a_{inputs[0].data<T>(), sizes.depth, 1},
        b_{inputs[1].data<T>(), sizes.n, 1},
        alpha_(static_cast<T>(attrs.alpha)),
        adds_(adds),
        y_(y) {
    if (attrs.transA != 0) a_ = {a_.data, 1, sizes.m};
    if (attrs.transB != 0) b_ = {b_.data, 1, sizes.depth};
  }

  MatrixView<T> Left(int64_t) const override { return a_; }
  void PackRight(int64_t, const Piece& piece, T* to) const override {
    PackMatrix(b_, alpha_, piece, to);
  }
  RowStarts<T> Start(int64_t) const override { return {adds_ ? nullptr : &zero_, 0}; }
  T* Result(int64_t) const override { return y_; }

 private:
  MatrixView<T> a_;
  MatrixView<T> b_;
  T alpha_;
  bool adds_;  // to what is in y
  const T zero_{};
  T* y_;
};

template <class T>
Status Multiply(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& y_shape = outputs[0].shape;
  const ProductSizes sizes{1, y_shape[0], y_shape[1], inputs[0].shape[attrs.transA != 0 ? 0 : 1]};
  T* y = outputs[0].data<T>();
  const bool adds = inputs.has(2) && attrs.beta != 0.0f;
  if (adds) FillScaled(inputs[2], static_cast<T>(attrs.beta), sizes.m, sizes.n, y, exec);
  AddProducts(OneProduct<T>(sizes, attrs, inputs, adds, y), exec);
  return Status();
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
