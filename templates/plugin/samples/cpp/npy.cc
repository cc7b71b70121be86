<%= banner %>
#include "npy.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>

#include "failure.h"

namespace sample {
namespace {

// An .npy file: magic, version, the header's length, the header, the data. The header is a
// dictionary as Python writes it: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }
constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;

[[noreturn]] void Fail(const std::filesystem::path& path, const std::string& reason) {
  throw Failure(path.string() + ": " + reason + "; numpy.save(file, numpy.ascontiguousarray(array)) "
                "writes what can be read");
}

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw Failure(path.string() + " cannot be read");
  return bytes;
}

// What follows a key of the dictionary, up to `end`.
std::string Entry(const std::filesystem::path& path, const std::string& header,
                  const std::string& key, const std::string& start, char end) {
  const std::string wanted = "'" + key + "': " + start;
  const size_t from = header.find(wanted);
  const size_t to = from != std::string::npos ? header.find(end, from + wanted.size()) : from;
  if (to == std::string::npos) Fail(path, "its header has no usable '" + key + "'");
  return header.substr(from + wanted.size(), to - from - wanted.size());
}

// "3, 2", "3," or ""
std::vector<int64_t> Shape(const std::filesystem::path& path, const std::string& text) {
  std::vector<int64_t> shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    int64_t size = 0;
    const auto [stop, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 0) Fail(path, "its shape is (" + text + ")");
    shape.push_back(size);
    at = stop;
    while (at != end && (*at == ',' || *at == ' ')) ++at;
  }
  return shape;
}

// How many bytes an array has; numbers that are not true must not lead astray.
uint64_t Bytes(const std::filesystem::path& path, const NpyArray& array) {
  const std::string& type = array.type;  // byte order, kind, bytes of an element
  uint64_t bytes = 0;
  bool plain = type.size() >= 3 && std::string("biufcV").find(type[1]) != std::string::npos;
  if (plain) {
    const char* const end = type.data() + type.size();
    const auto [stop, error] = std::from_chars(type.data() + 2, end, bytes);
    plain = error == std::errc() && stop == end && bytes > 0;
  }
  if (!plain) Fail(path, "its elements are '" + type + "', which are no plain numbers");
  if (type[0] == '>') Fail(path, "its elements are big endian");
  for (const int64_t size : array.shape) {
    const auto factor = static_cast<uint64_t>(size);
    if (factor != 0 && bytes > std::numeric_limits<uint64_t>::max() / factor) {
      Fail(path, "its shape is too large");
    }
    bytes *= factor;
  }
  return bytes;
}

}  // namespace

NpyArray ReadNpy(const std::filesystem::path& path) {
  const std::string file = Contents(path);
  const auto byte = [&file](size_t at) { return static_cast<size_t>(static_cast<uint8_t>(file[at])); };
  if (file.size() < kMagicSize + 4 || file.compare(0, kMagicSize, kMagic) != 0) {
    Fail(path, "is no .npy file");
  }
  const size_t version = byte(kMagicSize);
  if (version != 1 && version != 2) {
    Fail(path, "has version " + std::to_string(version) + " of the format, not 1 or 2");
  }
  size_t start = kMagicSize + 2 + (version == 1 ? 2 : 4);
  if (file.size() < start) Fail(path, "is cut off");
  size_t length = byte(kMagicSize + 2) | byte(kMagicSize + 3) << 8;
  if (version == 2) length |= byte(kMagicSize + 4) << 16 | byte(kMagicSize + 5) << 24;
  if (file.size() - start < length) Fail(path, "is cut off");
  const std::string header = file.substr(start, length);
  start += length;

  NpyArray array;
  array.type = Entry(path, header, "descr", "'", '\'');
  const std::string order = Entry(path, header, "fortran_order", "", ',');
  array.shape = Shape(path, Entry(path, header, "shape", "(", ')'));
  const uint64_t bytes = Bytes(path, array);
  if (order != "False") Fail(path, "is in Fortran's order");
  if (bytes != file.size() - start) {
    Fail(path, "has " + std::to_string(file.size() - start) + " bytes of data where its header says " +
                   std::to_string(bytes));
  }
  array.data.assign(file.begin() + static_cast<std::ptrdiff_t>(start), file.end());
  return array;
}

void WriteNpy(const std::filesystem::path& path, const std::string& type,
              const std::vector<int64_t>& shape, const void* data, size_t bytes) {
  std::string sizes;
  for (const int64_t size : shape) sizes += std::to_string(size) + ", ";
  if (shape.size() > 1) sizes.resize(sizes.size() - 2);
  if (shape.size() == 1) sizes.resize(sizes.size() - 1);  // (3,): the comma makes it a tuple
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + sizes +
                       "), }";
  // The data begins at a multiple of 64. No shape that ONNX has needs version 2.
  header.append(63 - (kMagicSize + 4 + header.size()) % 64, ' ');
  header += '\n';
  std::string start(kMagic, kMagicSize);
  start += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF),
            static_cast<char>(header.size() >> 8)};
  std::ofstream file(path, std::ios::binary);
  file << start << header;
  if (bytes > 0) file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  file.close();
  if (!file) throw Failure(path.string() + " cannot be written: is its folder there?");
}

}  // namespace sample
