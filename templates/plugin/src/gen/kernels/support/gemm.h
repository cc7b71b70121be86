<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/exec.h"
#include "gen/kernels/support/arithmetic.h"

namespace <%= ns %> {

// A matrix in memory: element (i, j) lies at data[i * row_stride + j * col_stride], so that a
// transposed matrix is the same memory with the strides exchanged.
template <class T>
struct MatrixView {
  const T* data;
  int64_t row_stride;
  int64_t col_stride;

  const T* at(int64_t i, int64_t j) const { return data + i * row_stride + j * col_stride; }
};

// A product to add: result[m, n] += left[m, depth] * right[depth, n]. The right-hand matrix is
// whatever `right` copies: right(p, p_end, j, j_end, T* to, stride) writes its rows [p, p_end) and
// columns [j, j_end), row p at `to` and each further one `stride` elements on.
template <class T, class Right>
struct ProductOf {
  MatrixView<T> left;
  Right right;
  T* result;
  int64_t result_stride;
};

// The right-hand matrix of a plain product, scaled.
template <class T>
struct ScaledMatrix {
  MatrixView<T> matrix;
  T scale;

  void operator()(int64_t p, int64_t p_end, int64_t j, int64_t j_end, T* to, int64_t stride) const {
    for (; p < p_end; ++p, to += stride) {
      for (int64_t q = j; q < j_end; ++q) to[q - j] = scale * *matrix.at(p, q);
    }
  }
};

// The pieces that a product is cut into: kTileRows x kTileCols sums fit into registers, kBlockDepth
// x kBlockCols elements of the right-hand matrix into the first cache, where they serve kBlockRows
// rows of the left-hand one.
constexpr int64_t kTileRows = 4;
constexpr int64_t kTileCols = 8;
constexpr int64_t kBlockDepth = 128;
constexpr int64_t kBlockCols = 8 * kTileCols;
constexpr int64_t kBlockRows = 32 * kTileRows;

// Adds `rows` rows of `left` times one packed tile, of which `cols` columns count. Compiled once, in
// gemm.cc, for float and double.
template <class T>
void AddTiles(MatrixView<T> left, const T* packed, int64_t depth, int64_t rows, int64_t cols,
              T* result, int64_t stride);

// Adds the block whose upper left corner is (i, j). `packed` has room for a block.
template <class T, class Right>
void AddBlock(const ProductOf<T, Right>& product, int64_t i, int64_t j, int64_t m, int64_t n,
              int64_t depth, T* packed) {
  const int64_t rows = Minimum(kBlockRows, m - i);
  const int64_t j_end = Minimum(j + kBlockCols, n);
  for (int64_t p = 0; p < depth; p += kBlockDepth) {
    const int64_t p_end = Minimum(p + kBlockDepth, depth);
    const MatrixView<T> left{product.left.at(i, p), product.left.row_stride,
                             product.left.col_stride};
    for (int64_t q = j; q < j_end; q += kTileCols) {
      const int64_t cols = Minimum(kTileCols, j_end - q);
      if (cols < kTileCols) {
        for (int64_t e = 0; e < (p_end - p) * kTileCols; ++e) packed[e] = T{};
      }
      product.right(p, p_end, q, q + cols, packed, kTileCols);
      AddTiles(left, packed, p_end - p, rows, cols,
               product.result + i * product.result_stride + q, product.result_stride);
    }
  }
}

// Adds `count` products of the same sizes, in parallel; products(i) gives the i-th ProductOf<T, _>.
template <class T, class Products>
void AddProducts(Exec& exec, int64_t count, int64_t m, int64_t n, int64_t depth,
                 const Products& products) {
  const int64_t col_blocks = (n + kBlockCols - 1) / kBlockCols;
  const int64_t blocks = (m + kBlockRows - 1) / kBlockRows * col_blocks;
  const int64_t cost = Minimum(m, kBlockRows) * Minimum(n, kBlockCols) * depth;
  ParallelFor(exec, count * blocks, cost, [&](int64_t begin, int64_t end) {
    T packed[kBlockDepth * kTileCols];
    for (int64_t index = begin; index < end; ++index) {
      const int64_t block = index % blocks;
      AddBlock(products(index / blocks), block / col_blocks * kBlockRows,
               block % col_blocks * kBlockCols, m, n, depth, packed);
    }
  });
}

}  // namespace <%= ns %>
