<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/tensor.h"
#include "gen/kernels/support/attention.h"

// Rows of queries, keys and values, wherever an operator's layout puts them.
namespace <%= ns %> {

// The matrices of all batches and heads in one tensor.
struct HeadRows {
  const float* data = nullptr;
  int64_t batch = 0;  // elements from one batch to the next
  int64_t head = 0;
  int64_t row = 0;

  RowMatrix<const float> matrix(int64_t b, int64_t n) const { return {data + b * batch + n * head, row}; }
};

// (batch, row, head, element), with `width` elements from one head to the next.
inline HeadRows RowsOutside(const float* data, int64_t rows, int64_t heads, int64_t width) {
  return {data, rows * heads * width, width, heads * width};
}

// (batch, head, row, element)
inline HeadRows HeadsOutside(const float* data, int64_t heads, int64_t rows, int64_t width) {
  return {data, heads * rows * width, rows * width, width};
}

// Whether a bias on the scores is (batch or 1, heads or 1, queries, keys).
inline bool IsScoreBias(const Shape& bias, const AttentionSizes& sizes) {
  return bias.size() == 4 && (bias[0] == 1 || bias[0] == sizes.batches) && (bias[1] == 1 || bias[1] == sizes.heads) &&
         bias[2] == sizes.queries && bias[3] == sizes.keys;
}

// Such a bias; where a dimension is 1, all take the same rows.
inline HeadRows RowsOfBias(const Tensor& bias) {
  const Shape& shape = bias.shape;
  const int64_t matrix = shape[2] * shape[3];
  return {bias.data<float>(), shape[0] == 1 ? 0 : shape[1] * matrix, shape[1] == 1 ? 0 : matrix, shape[3]};
}

}  // namespace <%= ns %>
