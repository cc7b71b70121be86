// What the target allocates, as far as the allocation hooks are loaded (LD_PRELOAD).
#pragma once

#include <cstdint>
#include <string>

namespace shim {

// This thread is in a callback of the target now (a number of kFunctions plus one) or not (0).
// Returns what it was.
int InsideTarget(int now);

// Tells the hooks where the target lies.
void FollowAllocations();

// The nth allocation from now on fails, 0 for none. False without hooks.
bool FailAllocation(int64_t nth);

// How many allocations there are to come until one fails; 0 or less if none is to.
int64_t AllocationsUntilFailure();

// What was allocated in callbacks of the target and is not free.
std::string LiveBlocksJson();

}  // namespace shim
