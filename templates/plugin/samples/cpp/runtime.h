<%= banner %>
#pragma once

#include <string>

namespace sample {

// Opens ONNX Runtime, so that the functions of its C++ header call it. Comes before all of them.
//
// It is opened, not linked, so that one program runs with every release from <%= ort_minimum %> on: on Linux,
// what is linked with libonnxruntime wants the very release that it was linked with.
//
// `given` is a file, or empty to look for one. Returns version and file, for people. Throws Failure
// when there is none, or when it is too old for the plugin.
std::string OpenRuntime(const std::string& given);

}  // namespace sample
