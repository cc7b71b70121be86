<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gen/api/status.h"
#include "gen/graph/executable.h"

namespace <%= ns %> {

// The executables of one compiled model, or of several that share their weights, and who made them.
struct BlobContent {
  struct Entry {
    std::string name;  // unique: what an EPContext node refers to as its partition
    Saved saved;
  };

  std::string ep;
  std::string version;
  std::string architecture;
  uint64_t workspace = 0;  // the largest of all entries: filled in by EncodeBlob
  std::vector<Entry> entries;
};

// The content as bytes, little-endian: a header with magic, format and checksums; the chunks, each
// aligned for any element type, equal ones once; the directory. Two entries of a name are an error.
Status EncodeBlob(const BlobContent& content, std::vector<unsigned char>* bytes);

// Reads it back. The chunks are views of `bytes`. Bytes that EncodeBlob has not written, or that
// were changed since, are an error that says what is wrong; nothing is allocated on their word.
// `bytes.data` must be aligned to kBlobAlignment.
Status DecodeBlob(const SharedBytes& bytes, BlobContent* content);

// Could a blob of `size` bytes begin like this? `count` bytes of it are at hand, kBlobHeader if it
// has as many. To be asked before memory is had for all of it.
Status CheckBlobHeader(const unsigned char* data, size_t count, uint64_t size);

inline constexpr size_t kBlobHeader = 64;
inline constexpr size_t kBlobAlignment = 64;

// Room for `size` bytes, aligned to kBlobAlignment; `data` is where to write.
SharedBytes AllocateBlob(size_t size, unsigned char** data);

}  // namespace <%= ns %>
