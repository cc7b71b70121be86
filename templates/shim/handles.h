// The handles that the target owns: made by a function of the runtime, given back by it, or given
// to the runtime for good.
#pragma once

#include "functions.h"

namespace shim {

// What to do with a handle that the target gives back.
enum class Verdict {
  kRelease,  // the runtime is to release it now
  kLater,    // it is kept for a while, so that a later use of it is seen
  kNever,    // it is not the target's to release
};

using Releaser = void (*)(void* handle);

// `function` made a handle that the target owns now.
void Made(Kind kind, const void* handle, int function);

// The target gives a handle back by `function`; `releaser` does it later.
Verdict Released(Kind kind, void* handle, int function, Releaser releaser);

// The runtime owns the handle from now on. Was it the target's until now?
bool Given(Kind kind, const void* handle);

// Is the handle one that the target has given back already?
bool WasReleased(Kind kind, const void* handle);

// Releases what is kept, and finds what the target never gave back.
void SettleHandles(bool find_leaks);

}  // namespace shim
