<%= banner %>
#pragma once

#include <cstdint>
#include <memory>

#include "device/runtime.h"

// The handle on the simulated device that the test variant of the library exports beside what every
// plugin exports. It is plain C, for use from anywhere; from Python:
//
//   library = ctypes.CDLL(path)  # the file that ONNX Runtime has loaded: <%= library %>_test
//   library.EpTestHooks.restype = ctypes.POINTER(Table)  # a ctypes.Structure, as below
//   hooks = library.EpTestHooks(1).contents
//   hooks.set_hold(-1, 1)  # from now on queues do not move
//
// What it sets and counts is of the whole process. Queues have numbers: 0 for the first that was
// made in the process, and so on; numbers do not come again.
extern "C" {

// Instead of a number: every queue, also those to come; calls without a queue.
enum { kEpEveryStream = -1, kEpNoStream = -2 };

struct EpTestHooksTable {
  uint32_t version;

  int64_t (*stream_count)(void);
  // The number of a queue that is alive; -3 when there is no such queue.
  int64_t (*find_stream)(const void* handle);

  // Waits before each item of a queue: for so long, and until nobody holds the queue any more. Who
  // waits for a queue that is held waits until then, as the end of a process may.
  void (*set_delay_us)(int64_t stream, uint64_t microseconds);
  void (*set_hold)(int64_t stream, int32_t is_held);

  // -1 for an unknown name. Of calls that succeeded, of one queue, of every one (with the calls
  // without any), or of kEpNoStream alone:
  //   launches copies copies_to_device copies_to_host copies_on_device copied_bytes fills
  //   records device_waits synchronizations
  //   queued (items that were put in), begun (items whose turn has come)
  // Of the device, whatever the queue:
  //   host_waits allocations frees host_allocations host_frees
  //   left (streams, events and blocks of memory that were alive when their device was closed)
  //   streams events bytes_in_use host_bytes_in_use (what is alive now)
<% if graph_capture %>
  // And of captured graphs: captures replays (of one queue), graphs (what is alive now). What is
  // recorded is queued once, and begun at each replay.
<% endif %>
<% if external_memory %>
  // And: imports (memory and semaphores of other APIs that are alive now).
<% endif %>
  int64_t (*counter)(int64_t stream, const char* name);

  // The nth call from now on fails, once: allocate allocate_host copy fill launch create_stream
<% if graph_capture %>
  // begin_capture end_capture replay
<% endif %>
<% if external_memory %>
  // import semaphore_wait semaphore_signal
<% endif %>
  // create_event record device_wait host_wait synchronize; and `work`, which is launched, and fails
  // when its turn has come. 0: none does. Returns 0 for an unknown name, else 1.
  int32_t (*fail)(const char* call, uint64_t nth);

  // No delays, holds and failures to come; counters at 0, save for what is alive or in use.
  void (*reset)(void);
};

// Null for a version that there is not. There is 1.
const EpTestHooksTable* EpTestHooks(uint32_t version);

}  // extern "C"

namespace <%= ns %> {

// A runtime that does as `runtime` does, under the hooks.
std::unique_ptr<Runtime> WithTestHooks(std::unique_ptr<Runtime> runtime);

}  // namespace <%= ns %>
