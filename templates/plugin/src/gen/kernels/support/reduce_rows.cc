<%= banner %>
#include "gen/kernels/support/reduce_rows.h"

#include <cstddef>

#include "gen/kernels/support/text.h"

namespace <%= ns %> {
namespace {

void Append(int64_t dim, int64_t stride, FixedWalk* walk) {
  walk->dims[walk->rank] = dim;
  walk->strides[walk->rank] = stride;
  ++walk->rank;
}

}  // namespace

Status PlanRows(const char* op, const ReductionPlan& plan, ReductionRows* rows) {
  const Walk* const walks[] = {&plan.kept, &plan.reduced};
  FixedWalk* const fixed[] = {&rows->starts, &rows->elements};
  for (int i = 0; i < 2; ++i) {
    const Walk& walk = *walks[i];
    if (walk.dims.size() >= FixedWalk::kMaxDims) {  // one is left for the run
      return NotImplemented(Text() << op << ": axes that take turns so often");
    }
    for (size_t d = 0; d < walk.dims.size(); ++d) Append(walk.dims[d], walk.strides[d], fixed[i]);
  }
  Append(plan.run, 1, plan.sums_run ? &rows->elements : &rows->starts);
  rows->width = plan.reduced.size() * (plan.sums_run ? plan.run : 1);
  rows->step = plan.sums_run ? 1 : plan.run;
  return Status();
}

}  // namespace <%= ns %>
