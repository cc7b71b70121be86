<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sample {

// An array as numpy.save() leaves it.
struct NpyArray {
  std::string type;  // "<f4"
  std::vector<int64_t> shape;
  std::vector<char> data;  // C order, little endian
};

// Reads versions 1 and 2 of the format. Throws Failure for what is no such file, or not whole, for
// Fortran's order, big endian, and elements that are not all of one plain size.
NpyArray ReadNpy(const std::filesystem::path& path);

// Throws Failure when it cannot be written.
void WriteNpy(const std::filesystem::path& path, const std::string& type,
              const std::vector<int64_t>& shape, const void* data, size_t bytes);

}  // namespace sample
