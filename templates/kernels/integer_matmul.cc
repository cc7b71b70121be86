<% from "kernels/parts.inc" import read %>
<% from "kernels/matmul.inc" import problem, matrix_index %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/bytes.h"
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/integer_product.h"

namespace <%= ns %> {
namespace {

<%= problem() %>

<%= matrix_index() %>

// How the zero points<% if k.p.scaled %>, or the scales,<% endif %> of a stack of matrices lie to their lines, which are the rows of the
// left-hand factor and the columns of the right-hand one: there is one for all, one for each line,
// or one for each line of each matrix.
struct LineSteps {
  int64_t matrix = 0;
  int64_t line = 0;

  int64_t at(int64_t matrix_index, int64_t line_index) const { return matrix_index * matrix + line_index * line; }
};

enum class Line { kRow, kCol };

Status LayLines(const Shape& shape, const Shape& stack, Line kind, int64_t lines, LineSteps* steps) {
  if (ElementCount(shape) == 1) return Status();
  if (IsVectorOf(lines, shape)) {
    steps->line = 1;
    return Status();
  }
  Shape full = stack;
  full.push_back(kind == Line::kRow ? lines : 1);
  full.push_back(kind == Line::kRow ? 1 : lines);
  if (shape != full) {
    return InvalidArgument(Text() << "a zero point<% if k.p.scaled %> or a scale<% endif %> of shape " << shape << " is neither one number nor " << lines << " for each matrix");
  }
  *steps = {lines, 1};
  return Status();
}

struct Lines {
<% if k.p.scaled %>
  LineSteps a_scale;
  LineSteps b_scale;
  LineSteps y_scale;
<% endif %>
  LineSteps a_zero;
  LineSteps b_zero;
<% if k.p.scaled %>
  LineSteps y_zero;
<% endif %>
};

Status LayLines(const Problem& problem, Inputs inputs, Lines* lines) {
  const auto lay = [&](size_t input, const Shape& stack, Line kind, LineSteps* steps) {
    return inputs.has(input) ? LayLines(inputs[input].shape, stack, kind, kind == Line::kRow ? problem.m : problem.n, steps) : Status();
  };
<% if k.p.scaled %>
  EP_RETURN_IF_ERROR(lay(<%= k.p.a_scale %>, problem.a_batch, Line::kRow, &lines->a_scale));
  EP_RETURN_IF_ERROR(lay(<%= k.p.b_scale %>, problem.b_batch, Line::kCol, &lines->b_scale));
  EP_RETURN_IF_ERROR(lay(<%= k.p.y_scale %>, problem.batch, Line::kRow, &lines->y_scale));
  EP_RETURN_IF_ERROR(lay(<%= k.p.y_zero %>, problem.batch, Line::kRow, &lines->y_zero));
<% endif %>
  EP_RETURN_IF_ERROR(lay(<%= k.p.a_zero %>, problem.a_batch, Line::kRow, &lines->a_zero));
  return lay(<%= k.p.b_zero %>, problem.b_batch, Line::kCol, &lines->b_zero);
}

class StackProducts final : public IntegerProducts {
 public:
  StackProducts(const Problem& problem, const Lines& lines, Inputs inputs, const MutableTensor& y)
      : IntegerProducts({ElementCount(problem.batch), problem.m, problem.n, problem.depth}),
        problem_(problem),
        lines_(lines),
        inputs_(inputs),
        a_(inputs[0]),
        b_(inputs[<%= k.p.b %>]),
        y_(y) {}

  void PackRow(int64_t index, int64_t row, int64_t p, int64_t p_end, int16_t* to) const override {
    const int64_t matrix = MatrixIndex(problem_.a_batch, problem_.batch, index);
    const int zero = ZeroPoint(<%= k.p.a_zero %>, lines_.a_zero.at(matrix, row));
    const int64_t from = (matrix * problem_.m + row) * problem_.depth;
    for (; p < p_end; ++p) *to++ = static_cast<int16_t>(a_.at(from + p) - zero);
  }
  void PackCol(int64_t index, int64_t col, int64_t p, int64_t p_end, int16_t* to) const override {
    const int64_t matrix = MatrixIndex(problem_.b_batch, problem_.batch, index);
    const int zero = ZeroPoint(<%= k.p.b_zero %>, lines_.b_zero.at(matrix, col));
    const int64_t from = matrix * problem_.depth * problem_.n + col;
    for (; p < p_end; ++p) *to++ = static_cast<int16_t>(b_.at(from + p * problem_.n) - zero);
  }
  void Take(int64_t index, int64_t row, int64_t col, const int32_t* sums, int64_t count) const override {
    const int64_t to = (index * problem_.m + row) * problem_.n + col;
<% if k.p.scaled %>
    const ByteMaker make(y_.dtype);
    const int64_t a_matrix = MatrixIndex(problem_.a_batch, problem_.batch, index);
    const int64_t b_matrix = MatrixIndex(problem_.b_batch, problem_.batch, index);
    const float a_scale = inputs_[<%= k.p.a_scale %>].data<float>()[lines_.a_scale.at(a_matrix, row)];
    const float y_scale = inputs_[<%= k.p.y_scale %>].data<float>()[lines_.y_scale.at(index, row)];
    const int zero = ZeroPoint(<%= k.p.y_zero %>, lines_.y_zero.at(index, row));
    const float* b_scale = inputs_[<%= k.p.b_scale %>].data<float>();
    uint8_t* y = y_.data<uint8_t>() + to;
    for (int64_t j = 0; j < count; ++j) {
      const float scale = a_scale * b_scale[lines_.b_scale.at(b_matrix, col + j)] / y_scale;
      y[j] = make(static_cast<float>(sums[j]) * scale, zero);
    }
<% else %>
    int32_t* y = y_.data<int32_t>() + to;
    for (int64_t j = 0; j < count; ++j) y[j] = sums[j];
<% endif %>
  }

 private:
  int ZeroPoint(size_t input, int64_t at) const {
    return inputs_.has(input) ? ByteReader(inputs_[input]).at(at) : 0;
  }

  const Problem& problem_;
  const Lines& lines_;
  Inputs inputs_;
  ByteReader a_;
  ByteReader b_;
  const MutableTensor& y_;
};

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  Problem problem;
  Lines lines;
  EP_RETURN_IF_ERROR(Resolve(inputs[0].shape, inputs[<%= k.p.b %>].shape, &problem));
  EP_RETURN_IF_ERROR(LayLines(problem, inputs, &lines));
  shapes[0] = problem.shape;
  return Status();
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  Problem problem;
  Lines lines;
  EP_RETURN_IF_ERROR(Resolve(inputs[0].shape, inputs[<%= k.p.b %>].shape, &problem));
  EP_RETURN_IF_ERROR(LayLines(problem, inputs, &lines));
  Multiply(StackProducts(problem, lines, inputs, outputs[0]), exec);
  return Status();
}

}  // namespace <%= ns %>
