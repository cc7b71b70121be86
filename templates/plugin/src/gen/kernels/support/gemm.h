<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>

#include "gen/api/exec.h"

// Products of matrices. Compiled once, in gemm.cc, for the element types of the kernels that use it.
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

// Columns of the right-hand matrix that are packed into a tile, and multiplied, at a time.
template <class T>
constexpr int64_t kTileCols = 64 / static_cast<int64_t>(sizeof(T));

// Rows of the left-hand matrix that meet a tile at a time.
constexpr int64_t kTileRows = 4;

// Rows [p, p_end) and columns [j, j_end) of a matrix; there are at most kTileCols columns.
struct Piece {
  int64_t p;
  int64_t p_end;
  int64_t j;
  int64_t j_end;
};

// `count` times result[m, n] = start + left[m, depth] * right[depth, n].
struct ProductSizes {
  int64_t count;
  int64_t m;
  int64_t n;
  int64_t depth;
};

<% if channels_last %>
struct ResultSteps {
  int64_t row;
  int64_t col;
};

<% endif %>
// What every row of a result starts with: row i with values[i * step]. Without values, the result
// starts with what is in its memory.
template <class T>
struct RowStarts {
  const T* values = nullptr;
  int64_t step = 0;
};

// Products to compute, all of the same sizes. The right-hand matrix need not lie in memory.
template <class T>
class Products {
 public:
  explicit Products(const ProductSizes& sizes) : sizes_(sizes) {}

  const ProductSizes& sizes() const { return sizes_; }
  virtual MatrixView<T> Left(int64_t index) const = 0;
  // The same as PackLeft left it, if it did; Left is not asked then.
  virtual const T* PackedLeft(int64_t) const { return nullptr; }
  // Writes a piece of the right-hand matrix to `to`; its rows are kTileCols elements apart there.
  virtual void PackRight(int64_t index, const Piece& piece, T* to) const = 0;
  // The same as PackTiles left it, if it did; PackRight is not asked then.
  virtual const T* PackedRight(int64_t) const { return nullptr; }
  virtual RowStarts<T> Start(int64_t) const { return {}; }
<% if channels_last %>
  // The first element of a result, and how far apart its rows and its columns are.
  virtual T* Result(int64_t index) const = 0;
  virtual ResultSteps Steps() const { return {sizes_.n, 1}; }
<% else %>
  virtual T* Result(int64_t index) const = 0;  // dense
<% endif %>

 protected:
  ~Products() = default;

 private:
  ProductSizes sizes_;
};

// Packs a piece of a matrix that does lie in memory, each element multiplied by `scale`.
template <class T>
void PackMatrix(const MatrixView<T>& matrix, T scale, const Piece& piece, T* to);

// A whole left-hand matrix, packed: kTileRows rows side by side, column after column; the last rows
// are filled up with zeros. Elements that it takes.
constexpr int64_t PackedLeftSize(int64_t m, int64_t depth) {
  return (m + kTileRows - 1) / kTileRows * kTileRows * depth;
}
template <class T>
void PackLeft(const MatrixView<T>& matrix, int64_t m, int64_t depth, T* to);

// A whole right-hand matrix, packed: tile after tile, the last one filled up with zeros.
template <class T>
constexpr int64_t PackedRightSize(int64_t depth, int64_t n) {
  return (n + kTileCols<T> - 1) / kTileCols<T> * kTileCols<T> * depth;
}
template <class T>
void PackTiles(const MatrixView<T>& matrix, T scale, int64_t depth, int64_t n, T* to);

template <class T>
void AddProducts(const Products<T>& products, Exec& exec);

}  // namespace <%= ns %>
