<%= banner %>
#include "gen/kernels/support/gemm.h"

namespace <%= ns %> {
namespace {

// Four rows of sums with a name each: compilers keep them in registers, which they do not with an
// array of rows.
template <class T>
void AddFourRows(const MatrixView<T>& left, const T* packed, int64_t depth, int64_t cols, T* result,
                 int64_t stride) {
  static_assert(kTileRows == 4);
  T sums0[kTileCols] = {};
  T sums1[kTileCols] = {};
  T sums2[kTileCols] = {};
  T sums3[kTileCols] = {};
  for (int64_t p = 0; p < depth; ++p, packed += kTileCols) {
    const T factor0 = *left.at(0, p);
    const T factor1 = *left.at(1, p);
    const T factor2 = *left.at(2, p);
    const T factor3 = *left.at(3, p);
    for (int j = 0; j < kTileCols; ++j) sums0[j] += factor0 * packed[j];
    for (int j = 0; j < kTileCols; ++j) sums1[j] += factor1 * packed[j];
    for (int j = 0; j < kTileCols; ++j) sums2[j] += factor2 * packed[j];
    for (int j = 0; j < kTileCols; ++j) sums3[j] += factor3 * packed[j];
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
