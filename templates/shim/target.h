// The library that the shim stands in front of.
#pragma once

#include <string>

#include "functions.h"

namespace shim {

using CreateEpFactoriesFn = OrtStatus* (*)(const char* name, const OrtApiBase* base,
                                           const OrtLogger* logger, OrtEpFactory** factories,
                                           size_t most, size_t* count);
using ReleaseEpFactoryFn = OrtStatus* (*)(OrtEpFactory* factory);

struct Target {
  void* library;
  CreateEpFactoriesFn create;
  ReleaseEpFactoryFn release;
};

// The library of EPFORGE_SHIM_TARGET, loaded once; null with the reason in `error`.
const Target* LoadTarget(std::string& error);

// What the target gets as the runtime.
const OrtApiBase* ProxiedBase();

// Learns what the runtime is. Returns why the shim cannot work in it; empty if it can.
std::string MeetRuntime(const OrtApiBase* base);

}  // namespace shim
