<%= banner %>
#include "device/cuda_blas.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

// What we call of cuBLAS, as its manual has it ("Using the cuBLAS API" and "64-bit Integer
// Interface"; the names are those behind its header's macros). Declared here, so that neither its
// headers nor the library are needed for building. The functions with 64-bit sizes came with CUDA
// 12.
namespace <%= ns %> {
namespace {

constexpr int kMajors[] = {13, 12};
constexpr int kSuccess = 0;     // CUBLAS_STATUS_SUCCESS
constexpr int kAsItLies = 0;    // CUBLAS_OP_N
constexpr int kTransposed = 1;  // CUBLAS_OP_T

// What the manual advises for the workspace, and the alignment that it demands.
constexpr size_t kWorkspace = size_t{32} << 20;
constexpr size_t kAlignment = 256;

template <class T>
using StackedProduct = int(void* handle, int a_form, int b_form, int64_t m, int64_t n, int64_t k,
                           const T* alpha, const T* a, int64_t a_stride, long long a_step,
                           const T* b, int64_t b_stride, long long b_step, const T* beta, T* c,
                           int64_t c_stride, long long c_step, int64_t count);

}  // namespace

struct CudaBlas::Functions {
  int (*create)(void** handle) = nullptr;
  int (*destroy)(void* handle) = nullptr;
  int (*set_stream)(void* handle, void* stream) = nullptr;
  int (*set_workspace)(void* handle, void* memory, size_t bytes) = nullptr;
  const char* (*text)(int status) = nullptr;
  StackedProduct<float>* multiply_float = nullptr;
  StackedProduct<double>* multiply_double = nullptr;

  Status Check(int status, const char* call) const {
    if (status == kSuccess) return Status();
    return Failed(std::string(call) + ": " + text(status));
  }

  // Matrices of cuBLAS lie in memory column after column: it sees every one of ours transposed. So
  // it is asked for the transposed product, which is that of the transposed factors in reverse.
  template <class T>
  int Call(StackedProduct<T>* call, void* handle, const MatrixProduct& p) const {
    const T alpha = static_cast<T>(p.alpha);
    const T beta = static_cast<T>(p.beta);
    return call(handle, p.b_transposed ? kTransposed : kAsItLies,
                p.a_transposed ? kTransposed : kAsItLies, p.n, p.m, p.depth, &alpha,
                static_cast<const T*>(p.b), p.b_transposed ? p.depth : p.n, p.b_step,
                static_cast<const T*>(p.a), p.a_transposed ? p.m : p.depth, p.a_step, &beta,
                static_cast<T*>(p.c), p.n, p.c_step, p.count);
  }

  Status Multiply(void* handle, const MatrixProduct& p) const {
    switch (p.dtype) {
      case DType::kFloat32:
        return Check(Call(multiply_float, handle, p), "cublasSgemmStridedBatched");
      case DType::kFloat64:
        return Check(Call(multiply_double, handle, p), "cublasDgemmStridedBatched");
      default:
        return NotImplemented(std::string("cuBLAS for ") + NameOf(p.dtype));
    }
  }
};

class CudaBlas::Handle {
 public:
  explicit Handle(const Functions& functions) : functions_(functions) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (raw_ != nullptr) functions_.destroy(raw_);
  }

  Status Create() { return functions_.Check(functions_.create(&raw_), "cublasCreate"); }
  void* get() const { return raw_; }

 private:
  const Functions& functions_;
  void* raw_ = nullptr;
};

CudaBlas::CudaBlas() : library_("cublas", kMajors) {}
CudaBlas::~CudaBlas() = default;

void CudaBlas::Forget(void* stream) { handles_.Forget(stream); }

Status CudaBlas::Load() {
  auto found = std::make_unique<Functions>();
  EP_RETURN_IF_ERROR(library_.Find("cublasCreate_v2", &found->create));
  EP_RETURN_IF_ERROR(library_.Find("cublasDestroy_v2", &found->destroy));
  EP_RETURN_IF_ERROR(library_.Find("cublasSetStream_v2", &found->set_stream));
  EP_RETURN_IF_ERROR(library_.Find("cublasSetWorkspace_v2", &found->set_workspace));
  EP_RETURN_IF_ERROR(library_.Find("cublasGetStatusString", &found->text));
  EP_RETURN_IF_ERROR(library_.Find("cublasSgemmStridedBatched_64", &found->multiply_float));
  EP_RETURN_IF_ERROR(library_.Find("cublasDgemmStridedBatched_64", &found->multiply_double));
  functions_ = std::move(found);
  return Status();
}

Status CudaBlas::Multiply(const MatrixProduct* products, size_t count, Exec& exec) {
  std::call_once(loading_, [this] { loaded_ = Load(); });
  EP_RETURN_IF_ERROR(loaded_);
  void* stream = exec.Stream();
  if (stream == nullptr) return Failed("there is no CUDA stream to multiply matrices on");

  std::unique_ptr<Handle> handle = handles_.Take(stream);
  if (handle == nullptr) {
    handle = std::make_unique<Handle>(*functions_);
    EP_RETURN_IF_ERROR(handle->Create());
  }
  const Functions& cublas = *functions_;
  EP_RETURN_IF_ERROR(cublas.Check(cublas.set_stream(handle->get(), stream), "cublasSetStream"));
  // After the stream, which takes the workspace away.
  void* memory = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(kWorkspace + kAlignment, &memory));
  const size_t over = reinterpret_cast<uintptr_t>(memory) % kAlignment;
  void* workspace = static_cast<char*>(memory) + (over == 0 ? 0 : kAlignment - over);
  EP_RETURN_IF_ERROR(cublas.Check(cublas.set_workspace(handle->get(), workspace, kWorkspace),
                                  "cublasSetWorkspace"));
  for (size_t i = 0; i < count; ++i) {
    EP_RETURN_IF_ERROR(cublas.Multiply(handle->get(), products[i]));
  }
  handles_.Give(stream, std::move(handle));
  return Status();
}

}  // namespace <%= ns %>
