<%= banner %>
#include "gen/kernels/support/gemm.h"

namespace <%= ns %> {
namespace {

// Four rows of sums with a name each, and the packed row in a variable of its own: so compilers keep
// all of them in registers, which they do not with an array of rows.
template <class T>
void AddFourRows(const MatrixView<T>& left, const T* packed, int64_t depth, int64_t cols, T* result,
                 int64_t stride) {
  static_assert(kTileRows == 4);
  const T* row0 = left.at(0, 0);
  const T* row1 = left.at(1, 0);
  const T* row2 = left.at(2, 0);
  const T* row3 = left.at(3, 0);
  T sums0[kTileCols] = {};
  T sums1[kTileCols] = {};
  T sums2[kTileCols] = {};
  T sums3[kTileCols] = {};
  for (int64_t p = 0; p < depth; ++p) {
    T right[kTileCols];
    for (int j = 0; j < kTileCols; ++j) right[j] = packed[j];
    const T factor0 = *row0;
    const T factor1 = *row1;
    const T factor2 = *row2;
    const T factor3 = *row3;
    for (int j = 0; j < kTileCols; ++j) sums0[j] += factor0 * right[j];
    for (int j = 0; j < kTileCols; ++j) sums1[j] += factor1 * right[j];
    for (int j = 0; j < kTileCols; ++j) sums2[j] += factor2 * right[j];
    for (int j = 0; j < kTileCols; ++j) sums3[j] += factor3 * right[j];
    packed += kTileCols;
    row0 += left.col_stride;
    row1 += left.col_stride;
    row2 += left.col_stride;
    row3 += left.col_stride;
  }
  for (int64_t j = 0; j < cols; ++j) {
    result[j] += sums0[j];
    result[j + stride] += sums1[j];
    result[j + 2 * stride] += sums2[j];
    result[j + 3 * stride] += sums3[j];
  }
}

template <class T>
void AddOneRow(const MatrixView<T>& left, const T* packed, int64_t depth, int64_t cols, T* result) {
  T sums[kTileCols] = {};
  for (int64_t p = 0; p < depth; ++p, packed += kTileCols) {
    const T factor = *left.at(0, p);
    for (int j = 0; j < kTileCols; ++j) sums[j] += factor * packed[j];
  }
  for (int64_t j = 0; j < cols; ++j) result[j] += sums[j];
}

}  // namespace

template <class T>
void AddTiles(MatrixView<T> left, const T* packed, int64_t depth, int64_t rows, int64_t cols,
              T* result, int64_t stride) {
  for (; rows >= kTileRows; rows -= kTileRows) {
    AddFourRows(left, packed, depth, cols, result, stride);
    left.data += kTileRows * left.row_stride;
    result += kTileRows * stride;
  }
  for (; rows > 0; --rows) {
    AddOneRow(left, packed, depth, cols, result);
    left.data += left.row_stride;
    result += stride;
  }
}

template void AddTiles(MatrixView<float>, const float*, int64_t, int64_t, int64_t, float*, int64_t);
template void AddTiles(MatrixView<double>, const double*, int64_t, int64_t, int64_t, double*,
                       int64_t);

}  // namespace <%= ns %>
