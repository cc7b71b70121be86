// Sessions that are made, run and released by many threads at once.
#ifndef EPFORGE_VALIDATE_CROSS_HOST_CROWD_H_
#define EPFORGE_VALIDATE_CROSS_HOST_CROWD_H_

#include "runtime.h"
#include "talk.h"

// The commands are said in main.cc. Throws the first error that a thread met, when all have ended.
void Crowd(const OrtEnv& env, const OrtSessionOptions& options, const Command& command);

#endif  // EPFORGE_VALIDATE_CROSS_HOST_CROWD_H_
