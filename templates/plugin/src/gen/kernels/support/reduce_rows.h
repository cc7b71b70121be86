<%= banner %>
#pragma once

#include <cstdint>

#include "gen/api/status.h"
#include "gen/kernels/support/device.h"
#include "gen/kernels/support/reduce.h"

// A reduction on the device: an output for each row of elements that are reduced.
namespace <%= ns %> {

// A Walk of fixed size, so that device code takes it by value.
struct FixedWalk {
  static constexpr int kMaxDims = 8;

  int rank = 0;
  int64_t dims[kMaxDims] = {};
  int64_t strides[kMaxDims] = {};

  EP_HOST_DEVICE int64_t Offset(int64_t index) const {
    int64_t offset = 0;
    for (int i = rank - 1; i > 0; --i) {
      offset += index % dims[i] * strides[i];
      index /= dims[i];
    }
    return offset + index * strides[0];
  }
};

// Where the rows of a reduction begin, and where the elements of a row are from there.
struct ReductionRows {
  FixedWalk starts;
  FixedWalk elements;
  int64_t width = 1;  // elements of a row
  int64_t step = 1;   // from one to the next, of those that lie closest together
};

// An error when the axes take turns so often that the walks need more than kMaxDims dimensions.
Status PlanRows(const char* op, const ReductionPlan& plan, ReductionRows* rows);

}  // namespace <%= ns %>
