<% from "kernels/parts.inc" import read, cases %>
<% from "kernels/matmul.inc" import matrix_index %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/gemm.h"

namespace <%= ns %> {
namespace {

// A stack of matrices as it lies in memory.
struct Factor {
  Shape batch;
  int64_t rows = 1;
  int64_t cols = 1;
  int64_t row_stride = 0;
  int64_t col_stride = 1;
  int64_t step = 0;  // from one matrix to the next
};

void Swap(int64_t* a, int64_t* b) {
  const int64_t kept = *a;
  *a = *b;
  *b = kept;
}

// `transposed`: the last two dimensions of a matrix are exchanged. `outer`: the dimensions of the
// stack lie between those of the matrices. Neither means anything to a vector, which is a row on the
// left and a column on the right.
Status Describe(const Shape& shape, bool transposed, bool outer, bool left, Factor* factor) {
  const size_t rank = shape.size();
  if (rank == 0) return InvalidArgument("a factor must not be a scalar");
  factor->cols = shape.back();
  factor->row_stride = factor->cols;
  if (rank == 1) {
    if (!left) transposed = true;
  } else if (outer && rank > 2) {
    factor->batch.assign(shape.begin() + 1, shape.end() - 1);
    factor->rows = shape[0];
    factor->row_stride = Product(shape, 1, rank);
    factor->step = factor->cols;
  } else {
    factor->batch.assign(shape.begin(), shape.end() - 2);
    factor->rows = shape[rank - 2];
    factor->step = factor->rows * factor->cols;
  }
  if (transposed && (rank > 1 || !left)) {
    Swap(&factor->rows, &factor->cols);
    Swap(&factor->row_stride, &factor->col_stride);
  }
  return Status();
}

<%= matrix_index() %>

struct Problem {
  Factor a;
  Factor b;
  Shape batch;  // what the two stacks are broadcast to
};

Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, Problem* problem) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& a = inputs[0].shape;
  const Shape& b = inputs[1].shape;
  EP_RETURN_IF_ERROR(Describe(a, attrs.transA != 0, attrs.transBatchA != 0, true, &problem->a));
  EP_RETURN_IF_ERROR(Describe(b, attrs.transB != 0, attrs.transBatchB != 0, false, &problem->b));
  if (problem->a.cols != problem->b.rows) {
    return InvalidArgument(Text() << "cannot multiply shapes " << a << " and " << b << " (transA=" << attrs.transA << ", transB=" << attrs.transB << ")");
  }
  return CommonShape(problem->a.batch, problem->b.batch, &problem->batch);
}

template <class T>
class StackProducts final : public Products<T> {
 public:
  StackProducts(const ProductSizes& sizes, const Problem& problem, T alpha, Inputs inputs, T* y)
      : Products<T>(sizes), problem_(problem), alpha_(alpha), a_(inputs[0].data<T>()), b_(inputs[1].data<T>()), y_(y) {}

  MatrixView<T> Left(int64_t index) const override { return Matrix(problem_.a, a_, index); }
  void PackRight(int64_t index, const Piece& piece, T* to) const override {
    PackMatrix(Matrix(problem_.b, b_, index), alpha_, piece, to);
  }
  T* Result(int64_t index) const override { return y_ + index * problem_.a.rows * problem_.b.cols; }

 private:
  MatrixView<T> Matrix(const Factor& factor, const T* data, int64_t index) const {
    const int64_t matrix = MatrixIndex(factor.batch, problem_.batch, index);
    return {data + matrix * factor.step, factor.row_stride, factor.col_stride};
  }

  const Problem& problem_;
  T alpha_;
  const T* a_;
  const T* b_;
  T* y_;
};

template <class T>
Status Multiply(const <%= k.attrs %>& attrs, const Problem& problem, Inputs inputs, Outputs outputs, Exec& exec) {
  T* y = outputs[0].data<T>();
  ParallelFor(exec, outputs[0].size(), 1, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = T{};
  });
  const ProductSizes sizes{ElementCount(problem.batch), problem.a.rows, problem.b.cols, problem.a.cols};
  AddProducts(StackProducts<T>(sizes, problem, static_cast<T>(attrs.alpha), inputs, y), exec);
  return Status();
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Problem problem;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &problem));
  Shape shape = problem.batch;
  if (inputs[0].shape.size() > 1) shape.push_back(problem.a.rows);
  if (inputs[1].shape.size() > 1) shape.push_back(problem.b.cols);
  shapes[0] = shape;
  return CheckShape(shape);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Problem problem;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &problem));
  switch (inputs[0].dtype) {
<%= cases(k.t, "Multiply", "attrs, problem, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
