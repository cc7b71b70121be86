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
<% if packs %>
        packed_(static_cast<const T*>(inputs[1].packed)),
<% endif %>
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
<% if packs %>
  const T* PackedRight(int64_t) const override { return packed_; }
<% endif %>
  RowStarts<T> Start(int64_t) const override { return {adds_ ? nullptr : &zero_, 0}; }
  T* Result(int64_t) const override { return y_; }

 private:
  MatrixView<T> a_;
  MatrixView<T> b_;
<% if packs %>
  const T* packed_;
<% endif %>
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
<% if packs %>

namespace {

// The sizes of B; none of one that is no matrix.
ProductSizes FactorSizes(const <%= k.attrs %>& attrs, const Shape& b) {
  if (b.size() != 2) return {};
  return {1, 0, b[attrs.transB != 0 ? 0 : 1], b[attrs.transB != 0 ? 1 : 0]};
}

template <class T>
size_t PackedBytes(const ProductSizes& sizes) {
  if (2 * sizes.n < kTileCols<T>) return 0;  // most of the tile would be empty
  return static_cast<size_t>(PackedRightSize<T>(sizes.depth, sizes.n)) * sizeof(T);
}

template <class T>
void PackFactor(const <%= k.attrs %>& attrs, const Tensor& b, void* to) {
  const ProductSizes sizes = FactorSizes(attrs, b.shape);
  MatrixView<T> matrix{b.data<T>(), sizes.n, 1};
  if (attrs.transB != 0) matrix = {matrix.data, 1, sizes.depth};
  PackTiles(matrix, static_cast<T>(attrs.alpha), sizes.depth, sizes.n, static_cast<T*>(to));
}

}  // namespace

size_t PackedSize(const <%= k.attrs %>& attrs, size_t input, const Tensor& constant) {
  if (input != 1) return 0;
  const ProductSizes sizes = FactorSizes(attrs, constant.shape);
  switch (constant.dtype) {
<%= cases(k.t, "PackedBytes", "sizes") -%>
    default:
      return 0;
  }
}

void Pack(const <%= k.attrs %>& attrs, size_t, const Tensor& constant, void* to) {
  switch (constant.dtype) {
<%= cases(k.t, "PackFactor", "attrs, constant, to") -%>
    default:
      return;
  }
}
<% endif %>

}  // namespace <%= ns %>
