<%= banner %>
#include "<%= k.cuda_header %>"

// Write Compute, then set kReadyCuda<%= k.op %> in <%= k.stem %>_cuda.h to true: until then the library of
// custom operators has the op for the CPU only. Launch every kernel on exec.Stream(), a
// cudaStream_t, wait for nothing, and return what cudaGetLastError() says as a Status:
// gen/kernels/support/elementwise.h, where the project has it, does so in Launch.
namespace <%= ns %>::cuda {

Status Compute(const <%= k.attrs %>&, Inputs, Outputs, Exec&) {
  return NotImplemented(<%= (k.label ~ ": Compute is not written yet for CUDA") | cpp_string %>);
}

}  // namespace <%= ns %>::cuda
