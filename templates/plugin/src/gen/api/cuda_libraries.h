<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>

#include "gen/api/exec.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"

// What kernels have of NVIDIA's libraries. Which of them a machine has is known only when a kernel
// runs: whoever calls one has code of its own for where it is missing.
namespace <%= ns %> {

// `count` products of dense matrices, row after row: c = alpha * a * b + beta * c, where a has m
// rows, b has n columns, and `depth` is what they share.
struct MatrixProduct {
  DType dtype = DType::kFloat32;  // or kFloat64
  int64_t m = 1;
  int64_t n = 1;
  int64_t depth = 1;
  bool a_transposed = false;  // it lies in memory as depth x m
  bool b_transposed = false;  // as n x depth
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  int64_t count = 1;
  // From one matrix to the next, in elements; 0 where one serves all products.
  int64_t a_step = 0;
  int64_t b_step = 0;
  int64_t c_step = 0;
  double alpha = 1;
  double beta = 0;  // where it is 0, c is not read
};

// y = x convolved with w, without a bias: images as (batch, channels, spatial dimensions).
struct Convolution {
  static constexpr size_t kMaxRank = 3;

  // A spatial dimension. The padding is the same at both ends.
  struct Dim {
    int64_t input = 1;
    int64_t output = 1;
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t dilation = 1;
    int64_t pad = 0;
  };

  DType dtype = DType::kFloat32;  // or kFloat64
  int64_t batch = 1;
  int64_t group = 1;
  int64_t inputs = 1;   // channels of x
  int64_t outputs = 1;  // channels of y
  Dim dims[kMaxRank];   // those that an image lacks come first, as they are here
  const void* x = nullptr;
  const void* w = nullptr;
  void* y = nullptr;
};

// Every call may come from several threads at once, with the device being the current one. Work is
// queued on exec.Stream(), which must not be null; none of it reads memory of the host.
class CudaLibraries {
 public:
  CudaLibraries& operator=(CudaLibraries&&) = delete;  // and so no copies
  virtual ~CudaLibraries() = default;

  // Whether this machine has cuBLAS. Looks for it the first time.
  virtual bool HasBlas() = 0;
  // Several products, of the same type. An error where there is no cuBLAS.
  virtual Status Multiply(const MatrixProduct* products, size_t count, Exec& exec) = 0;

  // Whether this machine has cuDNN. Looks for it the first time.
  virtual bool HasDnn() = 0;
  // `done` is false where cuDNN cannot do this one: then nothing has happened.
  virtual Status Convolve(const Convolution& convolution, Exec& exec, bool* done) = 0;

  // Gives back what is kept for a stream. It must come before the stream is destroyed, and after
  // the last call with it.
  virtual void Forget(void* stream) noexcept = 0;
};

}  // namespace <%= ns %>
