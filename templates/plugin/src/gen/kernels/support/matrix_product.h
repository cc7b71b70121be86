<%= banner %>
#pragma once

#include <cstdint>
#include <vector>

#include "gen/api/cuda_libraries.h"
#include "gen/api/exec.h"
#include "gen/api/status.h"
#include "gen/kernels/support/broadcast.h"
#include "gen/kernels/support/device.h"
#include "gen/kernels/support/launch.h"

// Products of matrices on the device: by cuBLAS, or where there is none by code of our own.
namespace <%= ns %> {

#ifdef EP_ON_DEVICE

// Each call computes a tile of kRows x kCols elements of a result. The columns of a tile are far
// from each other, so that those of neighbouring threads are side by side in memory.
template <class T, int kRows, int kCols>
struct ProductBody {
  MatrixProduct p;
  Broadcast stack;
  int64_t row_tiles;
  int64_t col_tiles;

  EP_DEVICE void operator()(int64_t i) const {
    const int64_t tile = i % (row_tiles * col_tiles);
    const int64_t index = i / (row_tiles * col_tiles);
    int64_t at[2];
    stack.Locate(index, 2, at);
    const T* a = static_cast<const T*>(p.a) + at[0] * p.a_step;
    const T* b = static_cast<const T*>(p.b) + at[1] * p.b_step;
    T* c = static_cast<T*>(p.c) + index * p.c_step;
    const int64_t a_row = p.a_transposed ? 1 : p.depth;
    const int64_t a_col = p.a_transposed ? p.m : 1;
    const int64_t b_row = p.b_transposed ? 1 : p.n;
    const int64_t b_col = p.b_transposed ? p.depth : 1;

    // A tile at the edge has the last row, or column, several times.
    int64_t rows[kRows];
    int64_t cols[kCols];
    for (int r = 0; r < kRows; ++r) {
      const int64_t row = tile / col_tiles * kRows + r;
      rows[r] = row < p.m ? row : p.m - 1;
    }
    for (int q = 0; q < kCols; ++q) {
      const int64_t col = tile % col_tiles + q * col_tiles;
      cols[q] = col < p.n ? col : p.n - 1;
    }
    T sums[kRows][kCols] = {};
    for (int64_t d = 0; d < p.depth; ++d) {
      T factors[kRows];
      for (int r = 0; r < kRows; ++r) factors[r] = a[rows[r] * a_row + d * a_col];
      for (int q = 0; q < kCols; ++q) {
        const T factor = b[d * b_row + cols[q] * b_col];
        for (int r = 0; r < kRows; ++r) sums[r][q] += factors[r] * factor;
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int q = 0; q < kCols; ++q) {
        const int64_t row = tile / col_tiles * kRows + r;
        const int64_t col = tile % col_tiles + q * col_tiles;
        if (row >= p.m || col >= p.n) continue;
        T* to = c + row * p.n + col;
        const T product = static_cast<T>(p.alpha) * sums[r][q];
        *to = p.beta == 0 ? product : product + static_cast<T>(p.beta) * *to;
      }
    }
  }
};

template <class T, int kRows, int kCols>
Status LaunchProducts(const MatrixProduct& product, const Broadcast& stack, Exec& exec) {
  const int64_t row_tiles = (product.m + kRows - 1) / kRows;
  const int64_t col_tiles = (product.n + kCols - 1) / kCols;
  return Launch(exec, product.count * row_tiles * col_tiles,
                ProductBody<T, kRows, kCols>{product, stack, row_tiles, col_tiles});
}

// Runs `product.count` products. `stack` says which matrix of a and of b each one takes, counted in
// matrices: the steps in `product` are the sizes of one.
template <class T>
Status MultiplyMatrices(MatrixProduct product, const Broadcast& stack, Exec& exec) {
  if (product.count == 0 || product.m == 0 || product.n == 0) return Status();
  CudaLibraries* libraries = exec.Libraries();
  if (libraries == nullptr || product.depth == 0 || !libraries->HasBlas()) {
    // Tiles take a fraction of the loads, but need enough elements to keep a device busy.
    constexpr int64_t kMany = 1 << 18;
    const bool many = product.m > kMany / product.n / product.count;
    return many ? LaunchProducts<T, 4, 4>(product, stack, exec)
                : LaunchProducts<T, 1, 1>(product, stack, exec);
  }
  // cuBLAS goes through a stack in equal steps: the innermost dimension, at each place of the
  // others.
  const int inner = stack.rank - 1;
  std::vector<MatrixProduct> parts;
  MatrixProduct part = product;
  part.count = stack.dims[inner];
  part.a_step = product.a_step * stack.strides[0][inner];
  part.b_step = product.b_step * stack.strides[1][inner];
  for (int64_t index = 0; index < product.count; index += part.count) {
    int64_t at[2];
    stack.Locate(index, 2, at);
    part.a = static_cast<const T*>(product.a) + at[0] * product.a_step;
    part.b = static_cast<const T*>(product.b) + at[1] * product.b_step;
    part.c = static_cast<T*>(product.c) + index * product.c_step;
    parts.push_back(part);
  }
  return libraries->Multiply(parts.data(), parts.size(), exec);
}

#endif

}  // namespace <%= ns %>
