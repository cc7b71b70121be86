<%= banner %>
#pragma once

#include <string>

#include "gen/api/status.h"

namespace <%= ns %> {

// What a session wants of compiled models, as its configuration says.
struct ContextSettings {
  // Takes an entry, if it is about them. A value that is not legal is an error.
  Status Take(const std::string& key, const std::string& value);
  // Refuses to write what this library does not, and what contradicts itself.
  Status CheckWriting() const;

  bool enable = false;         // a compiled model is to be written
  bool embed = false;          // with its data in it, not in a file beside it
  bool share = false;          // the data is shared with other sessions
  bool stop_sharing = false;   // this is the last of them
  bool compile_only = false;   // nothing is going to be run
  bool weightless = false;     // the constants stay with the model
  bool all_weightless = false;  // those too that lie in its own file
  std::string model_path;      // of the compiled model, to be written or to be loaded
  std::string prefix;          // wanted for the names of its EPContext nodes
  std::string weights_folder;  // where ORT looks for weights
};

}  // namespace <%= ns %>
