<%= banner %>
#include "gen/kernels/support/gemm.h"

#include <cstring>

namespace <%= ns %> {
namespace {

// The pieces that a product is cut into: kTileRows x kTileCols sums fit into registers, kBlockDepth
// rows of packed columns into the first cache, where they serve kBlockRows rows of the left-hand
// matrix.
constexpr int64_t kBlockDepth = 128;
constexpr int64_t kBlockRows = 32 * kTileRows;
constexpr int64_t kBlockTiles = 4;

// kBytes of elements, for vector registers. Spelled out, since compilers do not agree on which of
// these loops to turn into vectors.
#ifdef __GNUC__
#define EP_INLINE inline __attribute__((always_inline))
template <class T, int kBytes>
struct LanesOf {
  typedef T Type __attribute__((vector_size(kBytes)));
};
template <class T, int kBytes>
using Lanes = typename LanesOf<T, kBytes>::Type;
#else
#define EP_INLINE inline
template <class T, int kBytes>
struct Lanes {
  static constexpr int kCount = kBytes / static_cast<int>(sizeof(T));
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

// A vector register of every processor; and of newer ones, which get the same results faster: their
// instructions that multiply and add at once, and round once, are left alone. GCC does not align
// the stack for such vectors on Windows.
constexpr int kNarrow = 16;
#if defined(__GNUC__) && defined(__x86_64__) && !defined(_WIN32)
#define EP_HAS_WIDE 1
constexpr int kWide = 32;
#endif

// Some rows of a left-hand matrix, as it lies in memory or packed.
template <class T>
struct LeftRows {
  MatrixView<T> matrix;
  const T* packed;
  int64_t depth;

  MatrixView<T> at(int64_t row, int64_t p) const {
    if (packed == nullptr) return {matrix.at(row, p), matrix.row_stride, matrix.col_stride};
    const int64_t within = row % kTileRows;
    return {packed + (row - within) * depth + p * kTileRows + within, 1, kTileRows};
  }
};

// A packed tile, and what it is good for: the rows [row, row_end) of a product.
template <class T>
struct Panel {
  LeftRows<T> left;
  const T* tile;
  Piece piece;
  int64_t row;
  int64_t row_end;
  T* result;  // of the whole product
<% if channels_last %>
  ResultSteps steps;
<% else %>
  int64_t stride;  // of its rows
<% endif %>
  RowStarts<T> start;
};

// Computes kRows rows of a panel, of as many columns as two vectors hold, from `col` of the tile.
template <class T, int kBytes, int kRows>
EP_INLINE void AddRows(const Panel<T>& panel, int64_t row, int64_t col) {
  using Vector = Lanes<T, kBytes>;
  constexpr int64_t kLanes = kBytes / static_cast<int64_t>(sizeof(T));
  const T* factors[kRows] = {};
  int64_t step_left = 0;
  if (panel.piece.p < panel.piece.p_end) {  // else there is no left-hand matrix to point into
    const MatrixView<T> left = panel.left.at(row, panel.piece.p);
    for (int r = 0; r < kRows; ++r) factors[r] = left.at(r, 0);
    step_left = left.col_stride;
  }
  const T* columns = panel.tile + col;
  Vector low[kRows] = {};
  Vector high[kRows] = {};
  for (int64_t p = panel.piece.p; p < panel.piece.p_end; ++p, columns += kTileCols<T>) {
    Vector low_columns;
    Vector high_columns;
    std::memcpy(&low_columns, columns, sizeof low_columns);
    std::memcpy(&high_columns, columns + kLanes, sizeof high_columns);
    for (int r = 0; r < kRows; ++r) {
      low[r] += *factors[r] * low_columns;
      high[r] += *factors[r] * high_columns;
      factors[r] += step_left;
    }
  }

  const int64_t rest = panel.piece.j_end - panel.piece.j - col;
  const int64_t cols = rest < 2 * kLanes ? rest : 2 * kLanes;
<% if channels_last %>
  const int64_t step = panel.steps.col;
  T* to = panel.result + row * panel.steps.row + (panel.piece.j + col) * step;
  for (int r = 0; r < kRows; ++r, to += panel.steps.row) {
<% else %>
  T* to = panel.result + row * panel.stride + panel.piece.j + col;
  for (int r = 0; r < kRows; ++r, to += panel.stride) {
<% endif %>
    T sums[2 * kLanes];
    std::memcpy(sums, &low[r], sizeof low[r]);
    std::memcpy(sums + kLanes, &high[r], sizeof high[r]);
    const bool is_whole = cols == 2 * kLanes<% if channels_last %> && step == 1<% endif %>;
    if (panel.start.values != nullptr) {
      const T start = panel.start.values[(row + r) * panel.start.step];
      for (int64_t j = 0; j < 2 * kLanes; ++j) sums[j] = start + sums[j];
    } else if (is_whole) {
      for (int64_t j = 0; j < 2 * kLanes; ++j) sums[j] = to[j] + sums[j];
    } else {
      for (int64_t j = 0; j < cols; ++j) sums[j] = to[j<% if channels_last %> * step<% endif %>] + sums[j];
    }
    if (is_whole) {
      std::memcpy(to, sums, sizeof sums);
    } else {
      for (int64_t j = 0; j < cols; ++j) to[j<% if channels_last %> * step<% endif %>] = sums[j];
    }
  }
}

template <class T, int kBytes>
EP_INLINE void AddPanelBy(const Panel<T>& panel) {
  constexpr int64_t kCols = 2 * kBytes / static_cast<int64_t>(sizeof(T));
  int64_t row = panel.row;
  for (; row + kTileRows <= panel.row_end; row += kTileRows) {
    for (int64_t col = 0; col < panel.piece.j_end - panel.piece.j; col += kCols) {
      AddRows<T, kBytes, kTileRows>(panel, row, col);
    }
  }
  for (; row < panel.row_end; ++row) {
    for (int64_t col = 0; col < panel.piece.j_end - panel.piece.j; col += kCols) {
      AddRows<T, kBytes, 1>(panel, row, col);
    }
  }
}

template <class T>
void AddPanel(const Panel<T>& panel) {
  AddPanelBy<T, kNarrow>(panel);
}

#ifdef EP_HAS_WIDE
template <class T>
__attribute__((target("avx2"))) void AddWidePanel(const Panel<T>& panel) {
  AddPanelBy<T, kWide>(panel);
}
#endif

template <class T>
auto ChoosePanel() {
#ifdef EP_HAS_WIDE
  if (__builtin_cpu_supports("avx2")) return &AddWidePanel<T>;
#endif
  return &AddPanel<T>;
}

// Computes the block whose upper left corner is (i, j) of one product. `packed` has room for a tile.
template <class T>
void AddBlock(const Products<T>& products, int64_t index, int64_t i, int64_t j, T* packed) {
  const ProductSizes& sizes = products.sizes();
  const auto add = ChoosePanel<T>();
  const int64_t j_end = j + kBlockTiles * kTileCols<T> < sizes.n ? j + kBlockTiles * kTileCols<T> : sizes.n;
  const T* packed_right = products.PackedRight(index);
  Panel<T> panel{};
  panel.left.packed = products.PackedLeft(index);
  panel.left.depth = sizes.depth;
  if (panel.left.packed == nullptr) panel.left.matrix = products.Left(index);
  panel.row = i;
  panel.row_end = i + kBlockRows < sizes.m ? i + kBlockRows : sizes.m;
  panel.result = products.Result(index);
<% if channels_last %>
  panel.steps = products.Steps();
<% else %>
  panel.stride = sizes.n;
<% endif %>
  panel.start = products.Start(index);
  Piece& piece = panel.piece;
  do {
    piece.p_end = piece.p + kBlockDepth < sizes.depth ? piece.p + kBlockDepth : sizes.depth;
    for (piece.j = j; piece.j < j_end; piece.j = piece.j_end) {
      piece.j_end = piece.j + kTileCols<T> < j_end ? piece.j + kTileCols<T> : j_end;
      if (packed_right != nullptr) {
        panel.tile = packed_right + piece.j * sizes.depth + piece.p * kTileCols<T>;
      } else {
        const int64_t elements = (piece.p_end - piece.p) * kTileCols<T>;
        const bool is_whole = piece.j_end - piece.j == kTileCols<T>;
        for (int64_t e = 0; !is_whole && e < elements; ++e) packed[e] = T{};
        products.PackRight(index, piece, packed);
        panel.tile = packed;
      }
      add(panel);
    }
    piece.p = piece.p_end;
    panel.start = {};  // what comes next is added
  } while (piece.p < sizes.depth);
}

}  // namespace

template <class T>
void PackMatrix(const MatrixView<T>& matrix, T scale, const Piece& piece, T* to) {
  const int64_t cols = piece.j_end - piece.j;
  for (int64_t p = piece.p; p < piece.p_end; ++p, to += kTileCols<T>) {
    const T* from = matrix.at(p, piece.j);
    if (cols == kTileCols<T> && matrix.col_stride == 1) {
      for (int64_t q = 0; q < kTileCols<T>; ++q) to[q] = scale * from[q];
    } else {
      for (int64_t q = 0; q < cols; ++q) to[q] = scale * from[q * matrix.col_stride];
    }
  }
}

template <class T>
void PackLeft(const MatrixView<T>& matrix, int64_t m, int64_t depth, T* to) {
  for (int64_t row = 0; row < m; row += kTileRows) {
    for (int64_t p = 0; p < depth; ++p) {
      for (int64_t r = row; r < row + kTileRows; ++r) *to++ = r < m ? *matrix.at(r, p) : T{};
    }
  }
}

template <class T>
void PackTiles(const MatrixView<T>& matrix, T scale, int64_t depth, int64_t n, T* to) {
  for (int64_t j = 0; j < n; j += kTileCols<T>, to += depth * kTileCols<T>) {
    const int64_t j_end = j + kTileCols<T> < n ? j + kTileCols<T> : n;
    for (int64_t e = 0; j_end == n && e < depth * kTileCols<T>; ++e) to[e] = T{};
    PackMatrix(matrix, scale, Piece{0, depth, j, j_end}, to);
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
    alignas(64) T packed[kBlockDepth * kTileCols<T>];
    for (int64_t index = begin; index < end; ++index) {
      const int64_t block = index % blocks;
      AddBlock(products, index / blocks, block / col_blocks * kBlockRows,
               block % col_blocks * kBlockCols, packed);
    }
  });
}

<% for _, cpp in types %>
template void PackMatrix(const MatrixView<<%= cpp %>>&, <%= cpp %>, const Piece&, <%= cpp %>*);
template void PackLeft(const MatrixView<<%= cpp %>>&, int64_t, int64_t, <%= cpp %>*);
template void PackTiles(const MatrixView<<%= cpp %>>&, <%= cpp %>, int64_t, int64_t, <%= cpp %>*);
template void AddProducts(const Products<<%= cpp %>>&, Exec&);
<% endfor %>

}  // namespace <%= ns %>
