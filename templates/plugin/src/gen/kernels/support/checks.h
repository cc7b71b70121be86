<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/kernels/support/errors.h"
#include "gen/kernels/support/text.h"

// What a model may get wrong in axes and shapes, checked in one place.

namespace <%= ns %> {

// Product of the dimensions [begin, end).
int64_t Product(const Shape& shape, size_t begin, size_t end);

// Fails unless `shape` can be the shape of a tensor: no negative dimension, and few enough elements
// that their bytes can be counted, were no dimension 0.
Status CheckShape(const Shape& shape);

// CheckShape of all inputs. A tensor without elements may have dimensions of any size: this is for
// kernels that reckon with them.
Status CheckInputs(Inputs inputs);

// Whether `shape` is that of `count` elements in one dimension.
bool IsVectorOf(int64_t count, const Shape& shape);

// Turns `axis`, which counts from the end when negative, into an index below `rank`.
Status ResolveAxis(int64_t axis, size_t rank, size_t* index);

// Some of the axes of a tensor, of which there are at most 64.
struct AxisSet {
  uint64_t bits = 0;

  bool has(size_t axis) const noexcept { return (bits >> axis & 1) != 0; }
  void add(size_t axis) noexcept { bits |= uint64_t{1} << axis; }
};

// The set of all axes that `axes` names. An axis named twice is an error.
Status ResolveAxes(const std::vector<int64_t>& axes, size_t rank, AxisSet* named);

// Checks `axes` as ResolveAxes does, and makes all of them count from the front.
Status NormalizeAxes(size_t rank, std::vector<int64_t>* axes);

// The integers of a scalar or one-dimensional host tensor. `what` names it in messages.
Status ReadIntegers(const Tensor& tensor, const char* what, std::vector<int64_t>* values);

// Fails unless `shape` has `rank` dimensions. `what` names the tensor in messages.
Status CheckRank(const Shape& shape, size_t rank, const char* what);

// The shape that `a` and `b` are both broadcast to.
Status CommonShape(const Shape& a, const Shape& b, Shape* result);

}  // namespace <%= ns %>
