<%= banner %>
#include "gen/kernels/support/integer_product.h"

#include <cstddef>
#include <vector>

namespace <%= ns %> {
namespace {

// The pieces that a product is cut into. The sums of kDepth products fit into 32 bits.
constexpr int64_t kRows = 64;
constexpr int64_t kCols = 64;
constexpr int64_t kDepth = 512;

// What a thread works with: rows and columns of packed elements, and the sums of their products.
struct Block {
  std::vector<int16_t> rows;
  std::vector<int16_t> cols;
  std::vector<uint32_t> sums;  // unsigned: they may wrap around

  Block(int64_t row_count, int64_t col_count)
      : rows(static_cast<size_t>(row_count * kDepth)),
        cols(static_cast<size_t>((col_count + 3) / 4 * 4 * kDepth)),
        sums(static_cast<size_t>(row_count * kCols)) {}
};

// Adds the products of a row and four columns. A loop that compilers turn into products of pairs.
void AddFour(const int16_t* row, const int16_t* cols, int64_t depth, uint32_t* sums) {
  int32_t sum0 = 0;
  int32_t sum1 = 0;
  int32_t sum2 = 0;
  int32_t sum3 = 0;
  for (int64_t p = 0; p < depth; ++p) {
    sum0 += row[p] * cols[p];
    sum1 += row[p] * cols[kDepth + p];
    sum2 += row[p] * cols[2 * kDepth + p];
    sum3 += row[p] * cols[3 * kDepth + p];
  }
  sums[0] += static_cast<uint32_t>(sum0);
  sums[1] += static_cast<uint32_t>(sum1);
  sums[2] += static_cast<uint32_t>(sum2);
  sums[3] += static_cast<uint32_t>(sum3);
}

// Computes the block of one product whose upper left corner is (i, j).
void MultiplyBlock(const IntegerProducts& products, int64_t index, int64_t i, int64_t j, Block* block) {
  static_assert(kCols % 4 == 0);
  const IntegerProductSizes& sizes = products.sizes();
  const int64_t rows = sizes.m - i < kRows ? sizes.m - i : kRows;
  const int64_t cols = sizes.n - j < kCols ? sizes.n - j : kCols;
  for (uint32_t& sum : block->sums) sum = 0;
  for (int64_t p = 0; p < sizes.depth; p += kDepth) {
    const int64_t depth = sizes.depth - p < kDepth ? sizes.depth - p : kDepth;
    for (int64_t r = 0; r < rows; ++r) {
      products.PackRow(index, i + r, p, p + depth, block->rows.data() + r * kDepth);
    }
    for (int64_t q = 0; q < cols; ++q) {
      products.PackCol(index, j + q, p, p + depth, block->cols.data() + q * kDepth);
    }
    // The last columns of four may be left from another block: their sums go nowhere.
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t q = 0; q < cols; q += 4) {
        AddFour(block->rows.data() + r * kDepth, block->cols.data() + q * kDepth, depth, block->sums.data() + r * kCols + q);
      }
    }
  }
  int32_t sums[kCols];
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t q = 0; q < cols; ++q) {
      sums[q] = static_cast<int32_t>(block->sums[static_cast<size_t>(r * kCols + q)]);
    }
    products.Take(index, i + r, j, sums, cols);
  }
}

}  // namespace

void Multiply(const IntegerProducts& products, Exec& exec) {
  const IntegerProductSizes& sizes = products.sizes();
  const int64_t col_blocks = (sizes.n + kCols - 1) / kCols;
  const int64_t blocks = (sizes.m + kRows - 1) / kRows * col_blocks;
  const int64_t rows = sizes.m < kRows ? sizes.m : kRows;
  const int64_t cols = sizes.n < kCols ? sizes.n : kCols;
  ParallelFor(exec, sizes.count * blocks, rows * cols * sizes.depth / 4 + 1, [&](int64_t begin, int64_t end) {
    Block block(rows, cols);
    for (int64_t index = begin; index < end; ++index) {
      const int64_t at = index % blocks;
      MultiplyBlock(products, index / blocks, at / col_blocks * kRows, at % col_blocks * kCols, &block);
    }
  });
}

}  // namespace <%= ns %>
