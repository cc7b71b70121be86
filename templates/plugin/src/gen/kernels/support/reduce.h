<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "gen/api/exec.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/device.h"

namespace <%= ns %> {

// Which axes a reduction takes away. `axes_input`, where there is one, overrules `axes`; no axes mean
// all of them, or none if `noop_with_empty_axes`.
Status ReducedAxes(const Tensor* axes_input, const std::vector<int64_t>& axes,
                   bool noop_with_empty_axes, size_t rank, AxisSet* reduced);

Shape ReducedShape(const Shape& shape, AxisSet reduced, bool keepdims);

// Dimensions of a dense tensor, walked in order: index i lies at Offset(i).
struct Walk {
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;

  int64_t size() const;
  int64_t Offset(int64_t index) const;
};

// A reduction as loops. `run` elements that lie next to each other are either all summed up
// (`sums_run`) or each in a sum of its own; around them are the other dimensions that are kept, and
// inside of these the other ones that are reduced.
struct ReductionPlan {
  Walk kept;
  Walk reduced;
  int64_t run = 1;
  bool sums_run = false;
};

ReductionPlan PlanReduction(const Shape& shape, AxisSet reduced);

// The value that is below (above) every other one. As constants of a class they are computed by the
// compiler: functions of the standard library are not for device code.
template <class T>
struct Ends {
  using Limits = std::numeric_limits<T>;

  static constexpr T kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  static constexpr T kHighest = Limits::has_infinity ? Limits::infinity() : Limits::max();
};
template <class T>
EP_HOST_DEVICE T Lowest() {
  return Ends<T>::kLowest;
}
template <class T>
EP_HOST_DEVICE T Highest() {
  return Ends<T>::kHighest;
}

constexpr int64_t kMaxSums = 128;  // sums that are made at a time
constexpr int64_t kLanes = 8;      // independent sums of a run, which a vector unit makes in one go

// Makes `count` neighbouring totals from the elements at `from`. Function gives the type Total,
// Start(), Term(x, shift) and Join(a, b); `shifts` has what Term gets for each total.
template <class Function, class T, class Total>
void MakeTotals(const ReductionPlan& plan, const T* from, int64_t count, const Total* shifts,
                Total* totals) {
  const int64_t rows = plan.reduced.size();
  for (int64_t i = 0; i < count; ++i) totals[i] = Function::Start();
  if (!plan.sums_run) {
    for (int64_t row = 0; row < rows; ++row) {
      const T* x = from + plan.reduced.Offset(row);
      for (int64_t i = 0; i < count; ++i) {
        totals[i] = Function::Join(totals[i], Function::Term(x[i], shifts[i]));
      }
    }
    return;
  }
  Total lanes[kLanes];
  for (Total& lane : lanes) lane = Function::Start();
  for (int64_t row = 0; row < rows; ++row) {
    const T* x = from + plan.reduced.Offset(row);
    int64_t i = 0;
    for (; i + kLanes <= plan.run; i += kLanes) {
      for (int64_t j = 0; j < kLanes; ++j) {
        lanes[j] = Function::Join(lanes[j], Function::Term(x[i + j], shifts[0]));
      }
    }
    for (; i < plan.run; ++i) lanes[0] = Function::Join(lanes[0], Function::Term(x[i], shifts[0]));
  }
  for (const Total& lane : lanes) totals[0] = Function::Join(totals[0], lane);
}

// Makes `count` totals at a time: of the elements at `x`, for the outputs at `y`.
using Make = void (*)(const ReductionPlan& plan, const void* x, int64_t count, void* y);

// Calls `make` for all outputs of a reduction, on several threads. The element types of `x` and `y`
// have the same size.
void MakeAll(const ReductionPlan& plan, Make make, const Tensor& x, const MutableTensor& y, Exec& exec);

}  // namespace <%= ns %>
