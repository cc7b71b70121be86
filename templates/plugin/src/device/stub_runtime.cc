<%= banner %>
// The device, yours to write: while Open fails, the library loads and offers no device. Nothing
// else has to change. Each function says what it stands for; device/runtime.h says what it promises.

#include <string>
#include <utility>

#include "device/runtime.h"

namespace <%= ns %> {
namespace {

class StubRuntime final : public Runtime {
 public:
  // Write: load the driver, open the device.
  Status Open() { return Missing("Open"); }

  // Write: take device memory, as cudaMalloc does.
  Status Allocate(size_t /*bytes*/, void** address) override {
    *address = nullptr;
    return Missing("Allocate");
  }
  // Write: give it back.
  void Free(void* /*address*/) noexcept override {}
<% if host_accessible %>

  // Write: take pinned memory of the host, as cudaHostAlloc does.
  Status AllocateHost(size_t /*bytes*/, void** address) override {
    *address = nullptr;
    return Missing("AllocateHost");
  }
  // Write: give it back.
  void FreeHost(void* /*address*/) noexcept override {}
<% endif %>

  // Write: copy, and wait for the end of it.
  Status CopyToDevice(void* /*device*/, const void* /*host*/, size_t /*bytes*/) override {
    return Missing("CopyToDevice");
  }
  Status CopyToHost(void* /*host*/, const void* /*device*/, size_t /*bytes*/) override {
    return Missing("CopyToHost");
  }
  Status CopyOnDevice(void* /*to*/, const void* /*from*/, size_t /*bytes*/) override {
    return Missing("CopyOnDevice");
  }

  // Write: where kernels run on the device, return the address as it is.
  void* KernelAddress(const void* /*device*/) const noexcept override { return nullptr; }

 private:
  static Status Missing(const char* function) {
    return NotImplemented(std::string("StubRuntime::") + function +
                          " is not written yet (src/device/stub_runtime.cc)");
  }
};

}  // namespace

Status MakeRuntime(std::unique_ptr<Runtime>* runtime) {
  auto made = std::make_unique<StubRuntime>();
  EP_RETURN_IF_ERROR(made->Open());
  *runtime = std::move(made);
  return Status();
}

}  // namespace <%= ns %>
