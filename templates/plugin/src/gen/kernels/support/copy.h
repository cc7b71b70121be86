<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gen/api/exec.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/kernels/support/strides.h"

// Kernels that only move elements are put together from these. All memory is the kernel's: that of
// the device where kernels run on one, with the work queued on the stream of Exec.
namespace <%= ns %> {

// Copies `bytes` bytes between two places of the kernel's memory.
Status CopyBytes(Exec& exec, void* to, const void* from, size_t bytes);

// Copies `rows` runs of `row_bytes` bytes each; from one run to the next it is `to_stride` and
// `from_stride` bytes.
Status CopyRows(Exec& exec, void* to, int64_t to_stride, const void* from, int64_t from_stride,
                int64_t rows, int64_t row_bytes);

// Fills a dense tensor of `shape` with elements that lie `strides[i]` elements apart in dimension i,
// the first of them at `from`. A stride may be zero (broadcasting) or negative (reversal).
Status CopyStrided(Exec& exec, void* to, const void* from, const Shape& shape,
                   const std::vector<int64_t>& strides, size_t element_bytes);

// Sets `count` elements to the one at `element`, which is the caller's own, in the host's memory.
Status FillElements(Exec& exec, void* to, int64_t count, const void* element,
                    size_t element_bytes);

}  // namespace <%= ns %>
