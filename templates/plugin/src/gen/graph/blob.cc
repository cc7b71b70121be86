<%= banner %>
#include "gen/graph/blob.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "gen/graph/bytes.h"
#include "gen/graph/checksum.h"

namespace <%= ns %> {
namespace {

// The header is the same in every format: whoever reads a newer one can tell what it is.
constexpr unsigned char kMagic[8] = {0x89, 'E', 'P', 'C', '\r', '\n', 0x1A, '\n'};
constexpr uint32_t kFormat = 1;
constexpr size_t kSummedHeader = kBlobHeader - sizeof(uint64_t);  // the sum of the rest is last
constexpr size_t kMaxName = 4096;

struct Header {
  uint64_t size = 0;  // of the whole blob
  uint64_t directory = 0;
  uint64_t directory_sum = 0;
};

struct Chunk {
  SharedBytes bytes;
  uint64_t offset = 0;
  uint64_t sum = 0;
};

uint64_t Align(uint64_t offset) {
  return (offset + kBlobAlignment - 1) / kBlobAlignment * kBlobAlignment;
}

Status Damaged(const std::string& what) {
  return InvalidArgument("compiled data: " + what + ": compile the model again");
}

Status CheckName(const std::string& name, std::unordered_set<std::string_view>* names) {
  if (name.empty() || name.size() > kMaxName || name.find('\0') != std::string::npos) {
    return InvalidArgument("compiled data: the name of an entry is empty or far too long");
  }
  if (names->insert(name).second) return Status();
  return InvalidArgument("compiled data: two entries are called '" + name + "'");
}

// The chunks of all entries, equal ones once.
class ChunkTable {
 public:
  uint32_t Add(const SharedBytes& bytes) {
    const uint64_t sum = Checksum(bytes.data, bytes.size);
    const auto [begin, end] = by_sum_.equal_range(sum);
    for (auto known = begin; known != end; ++known) {
      if (AreEqual(chunks_[known->second].bytes, bytes)) return known->second;
    }
    const auto index = static_cast<uint32_t>(chunks_.size());
    by_sum_.emplace(sum, index);
    chunks_.push_back({bytes, offset_, sum});
    offset_ = Align(offset_ + bytes.size);
    return index;
  }

  const std::vector<Chunk>& chunks() const { return chunks_; }
  uint64_t end() const { return offset_; }

 private:
  static bool AreEqual(const SharedBytes& a, const SharedBytes& b) {
    return a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, a.size) == 0);
  }

  std::vector<Chunk> chunks_;
  std::unordered_multimap<uint64_t, uint32_t> by_sum_;
  uint64_t offset_ = kBlobHeader;
};

std::vector<unsigned char> MakeDirectory(const BlobContent& content, ChunkTable* table) {
  std::vector<unsigned char> entries;
  ByteWriter entry(&entries);
  uint64_t workspace = 0;
  for (const BlobContent::Entry& item : content.entries) {
    workspace = std::max(workspace, item.saved.workspace);
    entry.Text(item.name);
    entry.U64(item.saved.workspace);
    entry.Block(item.saved.payload.data(), item.saved.payload.size());
    entry.U64(item.saved.chunks.size());
    for (const SharedBytes& chunk : item.saved.chunks) entry.U32(table->Add(chunk));
  }
  std::vector<unsigned char> bytes;
  ByteWriter writer(&bytes);
  writer.Text(content.ep);
  writer.Text(content.version);
  writer.Text(content.architecture);
  writer.U64(workspace);
  writer.U64(table->chunks().size());
  for (const Chunk& chunk : table->chunks()) {
    writer.U64(chunk.offset);
    writer.U64(chunk.bytes.size);
    writer.U64(chunk.sum);
  }
  writer.U64(content.entries.size());
  writer.Raw(entries.data(), entries.size());
  return bytes;
}

// Reads the header of a blob of `size` bytes, of which `count` are at hand, the first ones.
Status ReadHeader(const unsigned char* data, size_t count, uint64_t size, Header* header) {
  const size_t known = std::min(count, sizeof kMagic);
  if (known == 0 || std::memcmp(data, kMagic, known) != 0) {
    return InvalidArgument("this is not compiled data: it does not begin with the magic bytes");
  }
  if (count < kBlobHeader) {
    return Damaged("truncated: only " + std::to_string(size) + " bytes are left");
  }
  ByteReader reader(data, kBlobHeader);
  (void)reader.U64();
  const uint32_t format = reader.U32();
  if (format > kFormat) {
    return InvalidArgument("compiled data: format " + std::to_string(format) +
                           " is newer than what this library reads, " + std::to_string(kFormat) +
                           ": update the library, or compile the model again");
  }
  (void)reader.U32();
  header->size = reader.U64();
  header->directory = reader.U64();
  header->directory_sum = reader.U64();
  while (reader.left() > sizeof(uint64_t)) (void)reader.U64();
  if (reader.U64() != Checksum(data, kSummedHeader)) {
    return Damaged("the checksum of the header is wrong");
  }
  if (format != kFormat) return Damaged("format " + std::to_string(format) + " is unknown");
  if (size < header->size) {
    return Damaged("truncated: " + std::to_string(size) + " bytes are left of " +
                   std::to_string(header->size));
  }
  if (size > header->size) {
    return Damaged(std::to_string(size - header->size) + " bytes too many follow its end");
  }
  if (header->directory < kBlobHeader || header->directory > header->size) {
    return Damaged("the directory lies outside");
  }
  return Status();
}

// Chunk by chunk, each where the one before it ends; what fills the gaps is zero.
Status ReadChunks(const SharedBytes& bytes, uint64_t directory, ByteReader* reader,
                  std::vector<SharedBytes>* chunks) {
  uint64_t end = kBlobHeader;
  const size_t count = reader->Count(3 * sizeof(uint64_t));
  for (size_t i = 0; i < count; ++i) {
    const uint64_t offset = reader->U64();
    const uint64_t size = reader->U64();
    const uint64_t sum = reader->U64();
    const std::string label = "chunk " + std::to_string(i);
    if (offset != end || size > directory - offset || Align(offset + size) > directory) {
      return Damaged(label + " is not where it belongs");
    }
    const unsigned char* data = bytes.data + offset;
    if (Checksum(data, size) != sum) return Damaged("the checksum of " + label + " is wrong");
    end = Align(offset + size);
    const auto is_zero = [](unsigned char byte) { return byte == 0; };
    if (!std::all_of(data + size, bytes.data + end, is_zero)) {
      return Damaged("there is something behind " + label);
    }
    chunks->push_back({bytes.owner, data, static_cast<size_t>(size)});
  }
  return end == directory ? Status() : Damaged("there is something between its parts");
}

Status ReadEntry(ByteReader* reader, const std::vector<SharedBytes>& chunks,
                 BlobContent::Entry* entry) {
  entry->name = reader->Text();
  entry->saved.workspace = reader->U64();
  entry->saved.payload = reader->Block();
  for (size_t i = reader->Count(sizeof(uint32_t)); i > 0; --i) {
    const uint32_t index = reader->U32();
    if (index >= chunks.size()) return Damaged("an entry refers to a chunk that is not there");
    entry->saved.chunks.push_back(chunks[index]);
  }
  return reader->ok() ? Status() : Damaged("the directory ends too early");
}

}  // namespace

Status EncodeBlob(const BlobContent& content, std::vector<unsigned char>* bytes) {
  std::unordered_set<std::string_view> names;
  for (const BlobContent::Entry& entry : content.entries) {
    EP_RETURN_IF_ERROR(CheckName(entry.name, &names));
  }
  ChunkTable table;
  const std::vector<unsigned char> directory = MakeDirectory(content, &table);
  const uint64_t size = table.end() + directory.size();

  bytes->clear();
  bytes->reserve(static_cast<size_t>(size));
  ByteWriter writer(bytes);
  writer.Raw(kMagic, sizeof kMagic);
  writer.U32(kFormat);
  writer.U32(0);
  writer.U64(size);
  writer.U64(table.end());
  writer.U64(Checksum(directory.data(), directory.size()));
  bytes->resize(kSummedHeader);  // zeros, for later
  writer.U64(Checksum(bytes->data(), bytes->size()));
  for (const Chunk& chunk : table.chunks()) {
    writer.Raw(chunk.bytes.data, chunk.bytes.size);
    bytes->resize(static_cast<size_t>(Align(bytes->size())));
  }
  writer.Raw(directory.data(), directory.size());
  return Status();
}

Status CheckBlobHeader(const unsigned char* data, size_t count, uint64_t size) {
  Header header;
  return ReadHeader(data, count, size, &header);
}

Status DecodeBlob(const SharedBytes& bytes, BlobContent* content) {
  if (reinterpret_cast<uintptr_t>(bytes.data) % kBlobAlignment != 0) {
    return InvalidArgument("compiled data: the memory it lies in is not aligned");
  }
  Header header;
  EP_RETURN_IF_ERROR(ReadHeader(bytes.data, bytes.size, bytes.size, &header));
  const unsigned char* directory = bytes.data + header.directory;
  const auto size = static_cast<size_t>(header.size - header.directory);
  if (Checksum(directory, size) != header.directory_sum) {
    return Damaged("the checksum of the directory is wrong");
  }
  BlobContent read;
  ByteReader reader(directory, size);
  read.ep = reader.Text();
  read.version = reader.Text();
  read.architecture = reader.Text();
  read.workspace = reader.U64();
  std::vector<SharedBytes> chunks;
  EP_RETURN_IF_ERROR(ReadChunks(bytes, header.directory, &reader, &chunks));

  constexpr size_t kLeastEntry = 4 * sizeof(uint64_t);
  read.entries.resize(reader.Count(kLeastEntry));
  std::unordered_set<std::string_view> names;
  for (BlobContent::Entry& entry : read.entries) {
    EP_RETURN_IF_ERROR(ReadEntry(&reader, chunks, &entry));
    EP_RETURN_IF_ERROR(CheckName(entry.name, &names));
  }
  if (!reader.ok() || reader.left() != 0) return Damaged("the directory has a wrong end");
  *content = std::move(read);
  return Status();
}

SharedBytes AllocateBlob(size_t size, unsigned char** data) {
  constexpr std::align_val_t kAlignment{kBlobAlignment};
  void* memory = ::operator new(size != 0 ? size : 1, kAlignment);
  const auto release = [](const void* owned) {
    ::operator delete(const_cast<void*>(owned), kAlignment);
  };
  SharedBytes bytes;
  bytes.owner = std::shared_ptr<const void>(memory, release);
  bytes.data = *data = static_cast<unsigned char*>(memory);
  bytes.size = size;
  return bytes;
}

}  // namespace <%= ns %>
