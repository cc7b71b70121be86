<%= banner %>
#include <memory>

#include "gen/graph/executable.h"
#include "gen/graph/program.h"

namespace <%= ns %> {

// Called once per group of nodes. What it makes may be of any class that derives from Executable;
// Program, which calls the kernels of this library one after the other, is a way to begin.
Status Compile(const CompileRequest& request, std::unique_ptr<Executable>* executable) {
  if (request.saved != nullptr) return Program::Restore(request, executable);
  return Program::Compile(request, executable);
}

}  // namespace <%= ns %>
