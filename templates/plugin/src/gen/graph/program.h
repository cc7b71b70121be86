<%= banner %>
#pragma once

#include <memory>

#include "gen/api/status.h"
#include "gen/graph/executable.h"

namespace <%= ns %> {

// An executable that calls the kernels of this library, one node after the other. Intermediate
// values share buffers as soon as their last reader is done; constants belong to the program.
class Program {
 public:
  // From request.graph. A node without a kernel is an error that names it.
  static Status Compile(const CompileRequest& request, std::unique_ptr<Executable>* executable);
  // From request.saved, which may be anything: what is wrong with it is an error.
  static Status Restore(const CompileRequest& request, std::unique_ptr<Executable>* executable);
};

}  // namespace <%= ns %>
