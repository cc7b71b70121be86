// A CUDA runtime without a device, for tests: what is put into a stream is done when somebody waits
// for it and not before, and everything that is asked of it is noted.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct FakeCuda {
  // What there is.
  cudaError_t driver = cudaSuccess;  // of cudaGetDeviceCount
  int driver_version = 13000;
  int devices = 2;
  int capability = 90;
  bool pools = true;
  // By the call's name, what it returns once; or whenever it is called for a stream that is lost.
  std::map<std::string, cudaError_t> failures;

  // What was asked for.
  std::vector<std::string> calls;    // in their order, those that look or ask for errors left out
  std::vector<std::string> faults;   // default stream, wrong device, unknown handles
  int streams = 0;                   // alive
  int streams_made = 0;
  int events = 0;
  int pools_alive = 0;
  int forgotten = 0;                 // streams that the libraries were told of
  std::map<void*, size_t> memory;    // alive, of every kind
  uint64_t kept = 0;                 // what the pool may keep

  bool Called(const std::string& name) const;
  size_t Count(const std::string& name) const;
};

// Anew, with the calling thread on device 1.
FakeCuda& ResetFake();
FakeCuda& Fake();
// The calling thread's device.
int CurrentDevice();
// For calls that are made up elsewhere: one on the current device, and one that puts work into a
// stream.
cudaError_t NoteCall(const std::string& name);
cudaError_t PutCall(const std::string& name, cudaStream_t stream, std::function<void()> work);
// The thread's last error, as somebody else's call left it.
void LeaveError(cudaError_t error);
