<% from "kernels/parts.inc" import read, cases %>
<% from "kernels/matmul.inc" import problem, matrix_index, infer_shapes %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/gemm.h"

namespace <%= ns %> {
namespace {

<%= problem() %>

<%= matrix_index() %>

template <class T>
class StackProducts final : public Products<T> {
 public:
  StackProducts(const ProductSizes& sizes, const Problem& problem, Inputs inputs, T* y)
      : Products<T>(sizes), problem_(problem), a_(inputs[0].data<T>()), b_(inputs[1].data<T>()),<% if packs %> packed_(static_cast<const T*>(inputs[1].packed)),<% endif %> y_(y) {}

  MatrixView<T> Left(int64_t index) const override {
    const int64_t matrix = MatrixIndex(problem_.a_batch, problem_.batch, index);
    return {a_ + matrix * problem_.m * problem_.depth, problem_.depth, 1};
  }
  void PackRight(int64_t index, const Piece& piece, T* to) const override {
    const int64_t matrix = MatrixIndex(problem_.b_batch, problem_.batch, index);
    PackMatrix({b_ + matrix * problem_.depth * problem_.n, problem_.n, 1}, T{1}, piece, to);
  }
<% if packs %>
  const T* PackedRight(int64_t) const override { return packed_; }
<% endif %>
  RowStarts<T> Start(int64_t) const override { return {&zero_, 0}; }
  T* Result(int64_t index) const override { return y_ + index * problem_.m * problem_.n; }

 private:
  const Problem& problem_;
  const T* a_;
  const T* b_;
<% if packs %>
  const T* packed_;
<% endif %>
  const T zero_{};
  T* y_;
};

template <class T>
Status Multiply(const Problem& problem, Inputs inputs, Outputs outputs, Exec& exec) {
  T* y = outputs[0].data<T>();
  ProductSizes sizes{ElementCount(problem.batch), problem.m, problem.n, problem.depth};
  if (ElementCount(problem.b_batch) == 1) {  // all rows meet the same matrix: one tall product
    sizes.m *= sizes.count;
    sizes.count = 1;
  }
  AddProducts(StackProducts<T>(sizes, problem, inputs, y), exec);
  return Status();
}

}  // namespace

<%= read(k) %>

<%= infer_shapes(k) %>

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  Problem problem;
  EP_RETURN_IF_ERROR(Resolve(inputs[0].shape, inputs[1].shape, &problem));
  switch (inputs[0].dtype) {
<%= cases(k.t, "Multiply", "problem, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}
<% if packs %>

namespace {

// The sizes of a right-hand factor that is one matrix; none of another.
ProductSizes FactorSizes(const <%= k.attrs %>&, const Shape& b) {
  if (b.size() < 2 || ElementCount(b) != b[b.size() - 2] * b.back()) return {};
  return {1, 0, b.back(), b[b.size() - 2]};
}

template <class T>
size_t PackedBytes(const ProductSizes& sizes) {
  if (2 * sizes.n < kTileCols<T>) return 0;  // most of the tile would be empty
  return static_cast<size_t>(PackedRightSize<T>(sizes.depth, sizes.n)) * sizeof(T);
}

template <class T>
void PackFactor(const <%= k.attrs %>& attrs, const Tensor& b, void* to) {
  const ProductSizes sizes = FactorSizes(attrs, b.shape);
  const MatrixView<T> matrix{b.data<T>(), sizes.n, 1};
  PackTiles(matrix, T{1}, sizes.depth, sizes.n, static_cast<T*>(to));
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
