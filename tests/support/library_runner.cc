// What makes of kernel_runner.cc, put behind this file, a runner of kernels that call NVIDIA's
// libraries: they have those that the project's own code finds, and a stream.
#include <atomic>
#include <memory>

#include "device/cuda_libraries.h"
#include "kernel_harness.h"

namespace PROJECT::test {

static std::unique_ptr<CudaLibraries> libraries;
static std::atomic<void*> stream{nullptr};
static std::atomic<size_t> largest_scratch{0};

class LibraryExec final : public Exec {
 public:
  explicit LibraryExec(int64_t pieces) : fake_(pieces) {}

  void ParallelFor(int64_t count, int64_t cost, Range range, void* context) override {
    fake_.ParallelFor(count, cost, range, context);
  }
  Status Scratch(size_t bytes, void** memory) override {
    if (bytes > largest_scratch) largest_scratch = bytes;
    return fake_.Scratch(bytes, memory);
  }
  void* Stream() const noexcept override { return stream; }
  CudaLibraries* Libraries() noexcept override { return libraries.get(); }

 private:
  FakeExec fake_;
};

extern "C" {

void LibrariesOpen() { libraries = MakeCudaLibraries(); }
void LibrariesClose() { libraries.reset(); }
bool LibrariesHasBlas() { return libraries->HasBlas(); }
bool LibrariesHasDnn() { return libraries->HasDnn(); }
void LibrariesForget(void* of) { libraries->Forget(of); }
void LibrariesUseStream(void* used) { stream = used; }
size_t LibrariesLargestScratch() { return largest_scratch.exchange(0); }

}  // extern "C"

}  // namespace PROJECT::test

#define RUN_EXEC LibraryExec
