<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/exec.h"

// Products of matrices of 8-bit integers, in sums of 32 bits.
namespace <%= ns %> {

// `count` times result[m, n] = left[m, depth] * right[depth, n].
struct IntegerProductSizes {
  int64_t count;
  int64_t m;
  int64_t n;
  int64_t depth;
};

// Products of the same sizes, whose factors need not lie in memory. A factor's elements are those of
// a tensor less their zero point, which 9 bits hold.
class IntegerProducts {
 public:
  explicit IntegerProducts(const IntegerProductSizes& sizes) : sizes_(sizes) {}

  const IntegerProductSizes& sizes() const { return sizes_; }
  // Writes elements [p, p_end) of a row of the left-hand matrix, or of a column of the right-hand one.
  virtual void PackRow(int64_t index, int64_t row, int64_t p, int64_t p_end, int16_t* to) const = 0;
  virtual void PackCol(int64_t index, int64_t col, int64_t p, int64_t p_end, int16_t* to) const = 0;
  // Takes the elements of a row of the result from column `col` on.
  virtual void Take(int64_t index, int64_t row, int64_t col, const int32_t* sums, int64_t count) const = 0;

 protected:
  ~IntegerProducts() = default;

 private:
  IntegerProductSizes sizes_;
};

void Multiply(const IntegerProducts& products, Exec& exec);

}  // namespace <%= ns %>
