// Stands in for cuBLAS: the same functions, on memory of the host, strict about what the real ones
// ask for. WITHOUT_64 leaves out what older releases lack.
#include <cstdint>

#include "fake_nvidia.h"

namespace {

constexpr int kInvalidValue = 7;
constexpr int kInternalError = 14;

// op(x)(row, col), where x lies in memory column after column.
template <class T>
double At(const T* x, int form, int64_t stride, int64_t row, int64_t col) {
  return static_cast<double>(form == 0 ? x[col * stride + row] : x[row * stride + col]);
}

template <class T>
int Multiply(const char* name, void* raw, int a_form, int b_form, int64_t m, int64_t n, int64_t k,
             const T* alpha, const T* a, int64_t a_stride, long long a_step, const T* b,
             int64_t b_stride, long long b_step, const T* beta, T* c, int64_t c_stride,
             long long c_step, int64_t count) {
  auto* handle = static_cast<fake::Handle*>(raw);
  if (const int status = fake::Failure(name)) return status;
  if (a_form < 0 || a_form > 1 || b_form < 0 || b_form > 1) return kInvalidValue;
  if (m < 1 || n < 1 || k < 1 || count < 1) return kInvalidValue;
  if (a_stride < (a_form == 0 ? m : k) || b_stride < (b_form == 0 ? k : n) || c_stride < m) {
    return kInvalidValue;
  }
  if (handle->busy.exchange(true)) return kInternalError;
  if (!handle->has_stream || handle->workspace == nullptr || !fake::Meet()) return kInternalError;
  fake::Log(name, handle->number, "on", handle->stream, "count", count);
  // The workspace is the call's to write.
  static_cast<unsigned char*>(handle->workspace)[0] = 1;
  static_cast<unsigned char*>(handle->workspace)[handle->workspace_bytes - 1] = 1;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t col = 0; col < n; ++col) {
      for (int64_t row = 0; row < m; ++row) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          sum += At(a + i * a_step, a_form, a_stride, row, p) *
                 At(b + i * b_step, b_form, b_stride, p, col);
        }
        T& to = c[i * c_step + col * c_stride + row];
        const double before = *beta == 0 ? 0 : static_cast<double>(*beta) * static_cast<double>(to);
        to = static_cast<T>(static_cast<double>(*alpha) * sum + before);
      }
    }
  }
  handle->busy = false;
  return 0;
}

}  // namespace

extern "C" {

int cublasCreate_v2(void** handle) {
  if (const int status = fake::Failure("cublasCreate")) return status;
  *handle = fake::NewHandle();
  return 0;
}
int cublasDestroy_v2(void* handle) {
  fake::Delete(static_cast<fake::Handle*>(handle));
  return 0;
}
int cublasSetStream_v2(void* raw, void* stream) {
  if (const int status = fake::Failure("cublasSetStream")) return status;
  auto* handle = static_cast<fake::Handle*>(raw);
  handle->stream = stream;
  handle->has_stream = true;
  handle->workspace = nullptr;  // as the manual says
  fake::Log("stream", handle->number, stream);
  return 0;
}
int cublasSetWorkspace_v2(void* raw, void* memory, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(memory) % 256 != 0 || bytes == 0) return kInvalidValue;
  auto* handle = static_cast<fake::Handle*>(raw);
  handle->workspace = memory;
  handle->workspace_bytes = bytes;
  return 0;
}
const char* cublasGetStatusString(int status) {
  return status == kInvalidValue ? "the fake's invalid value" : "the fake's other status";
}

#ifndef WITHOUT_64
int cublasSgemmStridedBatched_64(void* handle, int a_form, int b_form, int64_t m, int64_t n,
                                 int64_t k, const float* alpha, const float* a, int64_t a_stride,
                                 long long a_step, const float* b, int64_t b_stride,
                                 long long b_step, const float* beta, float* c, int64_t c_stride,
                                 long long c_step, int64_t count) {
  return Multiply("sgemm", handle, a_form, b_form, m, n, k, alpha, a, a_stride, a_step, b, b_stride,
                  b_step, beta, c, c_stride, c_step, count);
}
int cublasDgemmStridedBatched_64(void* handle, int a_form, int b_form, int64_t m, int64_t n,
                                 int64_t k, const double* alpha, const double* a, int64_t a_stride,
                                 long long a_step, const double* b, int64_t b_stride,
                                 long long b_step, const double* beta, double* c, int64_t c_stride,
                                 long long c_step, int64_t count) {
  return Multiply("dgemm", handle, a_form, b_form, m, n, k, alpha, a, a_stride, a_step, b, b_stride,
                  b_step, beta, c, c_stride, c_step, count);
}
#endif

}  // extern "C"
