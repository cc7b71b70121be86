// Programs to begin with: small, and of everything that the format knows something. PROJECT is the
// project's namespace.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gen/graph/blob.h"
#include "gen/graph/graph.h"

namespace fuzz {

using Named = std::pair<std::string, PROJECT::BlobContent>;

// Compiled data, each with a name. Ends the program if a graph of ours does not compile.
std::vector<Named> MakeBases();

}  // namespace fuzz
