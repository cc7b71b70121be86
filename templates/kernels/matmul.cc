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
      : Products<T>(sizes), problem_(problem), a_(inputs[0].data<T>()), b_(inputs[1].data<T>()), y_(y) {}

  MatrixView<T> Left(int64_t index) const override {
    const int64_t matrix = MatrixIndex(problem_.a_batch, problem_.batch, index);
    return {a_ + matrix * problem_.m * problem_.depth, problem_.depth, 1};
  }
  void PackRight(int64_t index, const Piece& piece, T* to) const override {
    const int64_t matrix = MatrixIndex(problem_.b_batch, problem_.batch, index);
    PackMatrix({b_ + matrix * problem_.depth * problem_.n, problem_.n, 1}, T{1}, piece, to);
  }
  RowStarts<T> Start(int64_t) const override { return {&zero_, 0}; }
  T* Result(int64_t index) const override { return y_ + index * problem_.m * problem_.n; }

 private:
  const Problem& problem_;
  const T* a_;
  const T* b_;
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

}  // namespace <%= ns %>
