// What no runtime does with a plugin library on a good day.
//
// A probe says {"event":"probe","wrong":[...],"tried":how often}, with "skipped":"why" where there
// is nothing to be probed:
//
//   entry      no room for factories, a runtime that has none of the tables that are asked for
//   nulls      no place for factories or their number, nothing to release
//   exhausted  each `operator new` of the library in an entry point or an enumeration fails once
//   factories  1,000 times made and released: no growth
//   devices    1,000 times listed: no growth
//   hardware   none, all kinds of made-up hardware, no room for devices
//   memory     an allocator for each memory that is offered, none for any other
//   copies     between the host and devices that are its own, and are not
//   streams    where it is stream-aware
#ifndef EPFORGE_VALIDATE_CROSS_HOST_PROBES_H_
#define EPFORGE_VALIDATE_CROSS_HOST_PROBES_H_

#include <vector>

#include "runtime.h"
#include "talk.h"

// Runs the probe `what` of a library. Throws std::runtime_error for one that is not known.
void Probe(const OrtApiBase& base, const std::vector<const OrtHardwareDevice*>& hardware,
           const Command& command);

#endif  // EPFORGE_VALIDATE_CROSS_HOST_PROBES_H_
