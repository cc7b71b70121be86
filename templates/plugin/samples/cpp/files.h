<%= banner %>
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sample {

// A file that the command line names, as an absolute path: ONNX Runtime looks for relative paths of
// libraries in its own folder, not in the current one.
// Throws Failure when there is none; `what` and `option` are for its text.
std::filesystem::path GivenFile(const std::string& given, const std::string& what,
                                const std::string& option);

// A library that nobody has named: beside this program, in the folder lib beside the program's, or
// where it was built (`built`, may be empty). Throws Failure when it is in none of these.
std::filesystem::path FindLibrary(const std::vector<std::string>& names, const std::string& built,
                                  const std::string& what, const std::string& option);

}  // namespace sample
