// Callbacks of the target, called as the runtime would not.
#pragma once

#include <string>

#include "functions.h"

namespace shim {

// Remembers what the last registration was given.
void NoteRegistration(const OrtLogger* logger);

// Remembers a device that the runtime got of a factory; forgets all of a factory.
void NoteDevice(OrtEpFactory* factory, const OrtEpDevice* device);
void DropDevices(const OrtEpFactory* factory);

// CreateEpFactories, called so: "max0" where nothing has room, "old" by a runtime from before
// execution providers in libraries, "null" by one that has no table at all.
std::string CallCreate(const std::string& how);

// OrtDataTransferImpl::CanCopy of every factory, between made-up memories: "type:vendor:device:kind".
std::string CallCanCopy(const std::string& from, const std::string& to);

// What the streams of every device come to.
std::string CallStreams();

}  // namespace shim
