<%= banner %>
#pragma once

#include "gen/kernels/support/device.h"

#ifdef EP_ON_DEVICE

#include <cstdint>
#include <cstring>

#include "gen/api/exec.h"
#include "gen/api/status.h"
#include "gen/kernels/support/launch.h"

// Kernels in which many elements make one result: several threads work on a row of elements and
// join what they have found. A body is called for every row and all of its threads with
//
//   body(row, threads)
//
// and goes through its calls of `threads` in step with them: what is outside of the functions that
// it passes has the same value in all threads of a row.
namespace <%= ns %> {

// A row with a single thread; the interface of all kinds of `threads`.
struct SoleThread {
  // Joins term(i) for all i in [0, count), each of which is called once. A thread goes upwards: it
  // calls join(what it has, term(i)) and begins with `start`, which must not change what it is
  // joined with. Then what the threads have is joined, in any order.
  template <class Total, class Term, class JoinTwo>
  EP_DEVICE Total Join(int64_t count, Total start, Term term, JoinTwo join) const {
    Total total = start;
    for (int64_t i = 0; i < count; ++i) total = join(total, term(i));
    return total;
  }

  // Calls body(i) for all i in [0, count). The thread that does this for an i is always the one
  // that has made term(i): it sees what that has written.
  template <class Body>
  EP_DEVICE void ForEach(int64_t count, Body body) const {
    for (int64_t i = 0; i < count; ++i) body(i);
  }

  // Calls body() in one of the threads.
  template <class Body>
  EP_DEVICE void Once(Body body) const {
    body();
  }
};

#ifdef __CUDACC__

constexpr int64_t kFewElements = 16;    // a row of so many is not worth more than one thread
constexpr int64_t kManyRows = 1 << 14;  // so many rows keep a device busy with a thread each
constexpr int kMostRowThreads = 512;
constexpr int kWarp = 32;
constexpr unsigned kWholeWarp = 0xffffffffu;

// The value that the thread `distance` further on in the warp has.
template <class T>
__device__ T FromThread(const T& value, int distance) {
  constexpr int kWords = (sizeof(T) + sizeof(int) - 1) / sizeof(int);
  int words[kWords] = {};
  T result = value;
  memcpy(words, &value, sizeof(T));
  for (int& word : words) word = __shfl_down_sync(kWholeWarp, word, distance);
  memcpy(&result, words, sizeof(T));
  return result;
}

// A row with all threads of a block, whole warps.
struct BlockThreads {
  template <class Total, class Term, class JoinTwo>
  __device__ Total Join(int64_t count, Total start, Term term, JoinTwo join) const {
    __shared__ Total of_warps[kMostRowThreads / kWarp];
    Total total = start;
    ForEach(count, [&](int64_t i) { total = join(total, term(i)); });
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
      total = join(total, FromThread(total, distance));
    }
    const int warps = static_cast<int>(blockDim.x) / kWarp;
    if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = total;
    __syncthreads();
    total = of_warps[0];
    for (int warp = 1; warp < warps; ++warp) total = join(total, of_warps[warp]);
    __syncthreads();  // before the next call writes there
    return total;
  }

  template <class Body>
  __device__ void ForEach(int64_t count, Body body) const {
    for (int64_t i = threadIdx.x; i < count; i += blockDim.x) body(i);
  }

  template <class Body>
  __device__ void Once(Body body) const {
    if (threadIdx.x == 0) body();
  }
};

template <class Body>
__global__ void __launch_bounds__(kMostRowThreads) RowsKernel(int64_t rows, Body body) {
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) body(row, BlockThreads());
}

template <class Body>
Status LaunchBlocks(Exec& exec, int64_t rows, int64_t width, Body body) {
  if (exec.Stream() == nullptr) return Failed("there is no CUDA stream to launch a kernel on");
  int threads = kWarp;
  while (threads < kMostRowThreads && threads * 4 < width) threads *= 2;
  constexpr int64_t kMaxBlocks = 1 << 16;
  RowsKernel<<<static_cast<unsigned>(rows < kMaxBlocks ? rows : kMaxBlocks),
               static_cast<unsigned>(threads), 0, static_cast<cudaStream_t>(exec.Stream())>>>(rows, body);
  return LaunchStatus();
}

#else

// So few that short rows are shared out as well.
constexpr int64_t kFewElements = 1;
constexpr int64_t kManyRows = 64;

// Stands in for the threads of a block: each in turn does its part, the last one first.
struct BlockThreads {
  static constexpr int64_t kThreads = 5;

  template <class Total, class Term, class JoinTwo>
  Total Join(int64_t count, Total start, Term term, JoinTwo join) const {
    Total total = start;
    for (int64_t thread = kThreads - 1; thread >= 0; --thread) {
      Total part = start;
      for (int64_t i = thread; i < count; i += kThreads) part = join(part, term(i));
      total = join(total, part);
    }
    return total;
  }

  template <class Body>
  void ForEach(int64_t count, Body body) const {
    for (int64_t thread = kThreads - 1; thread >= 0; --thread) {
      for (int64_t i = thread; i < count; i += kThreads) body(i);
    }
  }

  template <class Body>
  void Once(Body body) const {
    body();
  }
};

template <class Body>
Status LaunchBlocks(Exec&, int64_t rows, int64_t, Body body) {
  for (int64_t row = rows - 1; row >= 0; --row) body(row, BlockThreads());
  return Status();
}

#endif

template <class Body>
struct SoleRow {
  Body body;

  EP_DEVICE void operator()(int64_t row) const { body(row, SoleThread()); }
};

// Calls body(row, threads) on the device for every row in [0, rows), each of `width` elements that
// lie `step` apart: with a block of threads, or with a single one where the rows are short, or where
// there are many and neighbours lie next to each other.
template <class Body>
Status LaunchRows(Exec& exec, int64_t rows, int64_t width, int64_t step, Body body) {
  if (rows == 0) return Status();
  if (width <= kFewElements || (step > 1 && rows >= kManyRows)) {
    return Launch(exec, rows, SoleRow<Body>{body});
  }
  return LaunchBlocks(exec, rows, width, body);
}

}  // namespace <%= ns %>

#endif
