<%= banner %>
#pragma once

#include <onnxruntime_cxx_api.h>

#include <cstddef>
#include <string>
#include <vector>

#include "registration.h"

namespace sample {

// What the plugin offers on this machine. The list of devices is what tells: a plugin is never in
// Ort::GetAvailableProviders(), which names only what ONNX Runtime was built with.
std::vector<Ort::ConstEpDevice> PluginDevices(const Ort::Env& env);

// Prints all devices, those of the plugin with their numbers.
void PrintDevices(const Ort::Env& env);

// Throws Failure when there is no device, or none of that number.
Ort::ConstEpDevice PickDevice(const Ort::Env& env, const Registration& plugin, size_t number);

}  // namespace sample
