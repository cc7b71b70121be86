<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace sample {

// The command line.
struct Arguments {
  std::string model;
  std::string library;     // empty: looked for
  std::string custom_ops;  // empty: looked for when it is needed
  std::string runtime;     // empty: looked for
  std::string name;        // what the plugin is registered under
  bool help = false;
  bool list = false;
  bool use_ep = true;
  size_t device = 0;
  int log = 4;  // as ONNX Runtime counts: 0 says all, 4 nothing but the end of the process
  std::map<std::string, int64_t> dims;
  std::map<std::string, std::string> inputs;   // name -> file
  std::map<std::string, std::string> outputs;  // name -> file
};

// Throws Failure for what it does not understand.
Arguments ParseArguments(int argc, char** argv);

const char* Usage();

}  // namespace sample
