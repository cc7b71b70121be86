<%= banner %>
#include "gen/kernels/support/gemm.h"

#include <cstring>

namespace <%= ns %> {
namespace {

// The pieces that a product is cut into: a tile of kTileRows x kTileCols sums fits into registers,
// kBlockDepth rows of packed columns into the first cache, where they serve kBlockRows rows of the
// left-hand matrix.
constexpr int64_t kTileRows = 4;
constexpr int64_t kBlockDepth = 128;
constexpr int64_t kBlockRows = 32 * kTileRows;
constexpr int64_t kBlockTiles = 8;

// As many elements as a vector register of every processor holds. Spelled out, since compilers do
// not agree on which of these loops to turn into vectors.
#ifdef __GNUC__
template <class T>
struct LanesOf {
  typedef T Type __attribute__((vector_size(16), may_alias));
};
template <class T>
using Lanes = typename LanesOf<T>::Type;
#else
template <class T>
struct Lanes {
  static constexpr int kCount = 16 / sizeof(T);
  T values[kCount];

  void operator+=(const Lanes& other) {
    for (int i = 0; i < kCount; ++i) values[i] += other.values[i];
  }
  friend Lanes operator*(T factor, const Lanes& other) {
    Lanes product;
    for (int i = 0; i < kCount; ++i) product.values[i] = factor * other.values[i];
    return product;
  }
};
#endif

// A row of sums, one for each column of a tile.
template <class T>
struct RowSums {
  Lanes<T> low{};
  Lanes<T> high{};

  void Add(T factor, const Lanes<T>& low_columns, const Lanes<T>& high_columns) {
    low += factor * low_columns;
    high += factor * high_columns;
  }

  void AddTo(T* result, int64_t cols<% if channels_last %>, int64_t step<% endif %>) const {
    T sums[kTileCols<T>];
    std::memcpy(sums, &low, sizeof low);
    std::memcpy(sums + kTileCols<T> / 2, &high, sizeof high);
    for (int64_t j = 0; j < cols; ++j) result[j<% if channels_last %> * step<% endif %>] += sums[j];
  }
};

template <class T>
void AddFourRows(const MatrixView<T>& left, const Lanes<T>* packed, int64_t depth, int64_t cols,
                 T* result, <% if channels_last %>const ResultSteps& steps<% else %>int64_t stride<% endif %>) {
  static_assert(kTileRows == 4);
  const T* row0 = left.at(0, 0);
  const T* row1 = left.at(1, 0);
  const T* row2 = left.at(2, 0);
  const T* row3 = left.at(3, 0);
  RowSums<T> sums0, sums1, sums2, sums3;
  for (int64_t p = 0; p < depth; ++p, packed += 2) {
    const Lanes<T> low_columns = packed[0];
    const Lanes<T> high_columns = packed[1];
    sums0.Add(*row0, low_columns, high_columns);
    sums1.Add(*row1, low_columns, high_columns);
    sums2.Add(*row2, low_columns, high_columns);
    sums3.Add(*row3, low_columns, high_columns);
    row0 += left.col_stride;
    row1 += left.col_stride;
    row2 += left.col_stride;
    row3 += left.col_stride;
  }
<% if channels_last %>
  sums0.AddTo(result, cols, steps.col);
  sums1.AddTo(result + steps.row, cols, steps.col);
  sums2.AddTo(result + 2 * steps.row, cols, steps.col);
  sums3.AddTo(result + 3 * steps.row, cols, steps.col);
<% else %>
  sums0.AddTo(result, cols);
  sums1.AddTo(result + stride, cols);
  sums2.AddTo(result + 2 * stride, cols);
  sums3.AddTo(result + 3 * stride, cols);
<% endif %>
}

template <class T>
void AddOneRow(const MatrixView<T>& left, const Lanes<T>* packed, int64_t depth, int64_t cols,
               T* result<% if channels_last %>, int64_t step<% endif %>) {
  RowSums<T> sums;
  for (int64_t p = 0; p < depth; ++p, packed += 2) {
    sums.Add(*left.at(0, p), packed[0], packed[1]);
  }
  sums.AddTo(result, cols<% if channels_last %>, step<% endif %>);
}

// Adds the block whose upper left corner is (i, j) of one product. `packed` has room for a tile.
template <class T>
void AddBlock(const Products<T>& products, int64_t index, int64_t i, int64_t j, Lanes<T>* packed) {
  const ProductSizes& sizes = products.sizes();
  const int64_t n = sizes.n;
  const int64_t i_end = i + kBlockRows < sizes.m ? i + kBlockRows : sizes.m;
  const int64_t j_end = j + kBlockTiles * kTileCols<T> < n ? j + kBlockTiles * kTileCols<T> : n;
  const MatrixView<T> left = products.Left(index);
  T* result = products.Result(index);
<% if channels_last %>
  const ResultSteps steps = products.Steps();
<% endif %>
  Piece piece{};
  for (; piece.p < sizes.depth; piece.p = piece.p_end) {
    piece.p_end = piece.p + kBlockDepth < sizes.depth ? piece.p + kBlockDepth : sizes.depth;
    const int64_t depth = piece.p_end - piece.p;
    for (piece.j = j; piece.j < j_end; piece.j = piece.j_end) {
      piece.j_end = piece.j + kTileCols<T> < j_end ? piece.j + kTileCols<T> : j_end;
      const int64_t cols = piece.j_end - piece.j;
      T* tile = reinterpret_cast<T*>(packed);
      for (int64_t e = 0; cols < kTileCols<T> && e < depth * kTileCols<T>; ++e) tile[e] = T{};
      products.PackRight(index, piece, tile);
      int64_t row = i;
      for (; row + kTileRows <= i_end; row += kTileRows) {
        const MatrixView<T> rows{left.at(row, piece.p), left.row_stride, left.col_stride};
<% if channels_last %>
        T* to = result + row * steps.row + piece.j * steps.col;
        AddFourRows(rows, packed, depth, cols, to, steps);
<% else %>
        AddFourRows(rows, packed, depth, cols, result + row * n + piece.j, n);
<% endif %>
      }
      for (; row < i_end; ++row) {
        const MatrixView<T> rows{left.at(row, piece.p), left.row_stride, left.col_stride};
<% if channels_last %>
        T* to = result + row * steps.row + piece.j * steps.col;
        AddOneRow(rows, packed, depth, cols, to, steps.col);
<% else %>
        AddOneRow(rows, packed, depth, cols, result + row * n + piece.j);
<% endif %>
      }
    }
  }
}

}  // namespace

template <class T>
void PackMatrix(const MatrixView<T>& matrix, T scale, const Piece& piece, T* to) {
  const int64_t cols = piece.j_end - piece.j;
  for (int64_t p = piece.p; p < piece.p_end; ++p, to += kTileCols<T>) {
    const T* from = matrix.at(p, piece.j);
    for (int64_t q = 0; q < cols; ++q) to[q] = scale * from[q * matrix.col_stride];
  }
}

template <class T>
void AddProducts(const Products<T>& products, Exec& exec) {
  constexpr int64_t kBlockCols = kBlockTiles * kTileCols<T>;
  const ProductSizes& sizes = products.sizes();
  const int64_t rows = sizes.m < kBlockRows ? sizes.m : kBlockRows;
  const int64_t cols = sizes.n < kBlockCols ? sizes.n : kBlockCols;
  const int64_t col_blocks = (sizes.n + kBlockCols - 1) / kBlockCols;
  const int64_t blocks = (sizes.m + kBlockRows - 1) / kBlockRows * col_blocks;
  const int64_t cost = rows * cols * sizes.depth;
  ParallelFor(exec, sizes.count * blocks, cost, [&](int64_t begin, int64_t end) {
    Lanes<T> packed[2 * kBlockDepth];
    for (int64_t index = begin; index < end; ++index) {
      const int64_t block = index % blocks;
      AddBlock(products, index / blocks, block / col_blocks * kBlockRows,
               block % col_blocks * kBlockCols, packed);
    }
  });
}

<% for _, cpp in types %>
template void PackMatrix(const MatrixView<<%= cpp %>>&, <%= cpp %>, const Piece&, <%= cpp %>*);
template void AddProducts(const Products<<%= cpp %>>&, Exec&);
<% endfor %>

}  // namespace <%= ns %>
