<%= banner %>
#include "device/cuda_libraries.h"

#include "device/cuda_blas.h"
#include "device/cuda_dnn.h"

namespace <%= ns %> {
namespace {

class NvidiaLibraries final : public CudaLibraries {
 public:
  bool HasBlas() override { return blas_.IsThere(); }
  Status Multiply(const MatrixProduct* products, size_t count, Exec& exec) override {
    return blas_.Multiply(products, count, exec);
  }

  bool HasDnn() override { return dnn_.IsThere(); }
  Status Convolve(const Convolution& convolution, Exec& exec, bool* done) override {
    return dnn_.Convolve(convolution, exec, done);
  }

  void Forget(void* stream) noexcept override {
    blas_.Forget(stream);
    dnn_.Forget(stream);
  }

 private:
  CudaBlas blas_;
  CudaDnn dnn_;
};

}  // namespace

std::unique_ptr<CudaLibraries> MakeCudaLibraries() { return std::make_unique<NvidiaLibraries>(); }

}  // namespace <%= ns %>
