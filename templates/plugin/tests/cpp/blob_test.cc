<%= banner %>
#include "gen/graph/blob.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "gen/graph/checksum.h"

// The format of compiled data: what is written is read back, and anything else is refused.
namespace <%= ns %>::test {
namespace {

using Bytes = std::vector<unsigned char>;

SharedBytes Share(const Bytes& bytes) {
  unsigned char* memory = nullptr;
  const SharedBytes shared = AllocateBlob(bytes.size(), &memory);
  if (!bytes.empty()) std::memcpy(memory, bytes.data(), bytes.size());
  return shared;
}

Bytes Encode(const BlobContent& content) {
  Bytes bytes;
  const Status status = EncodeBlob(content, &bytes);
  CHECK_THAT(status.ok(), std::string("encodes: ") + status.message());
  return bytes;
}

Status Decode(const Bytes& bytes) {
  BlobContent content;
  return DecodeBlob(Share(bytes), &content);
}

bool Contains(const Status& status, const char* text) {
  return std::string(status.message()).find(text) != std::string::npos;
}

BlobContent Sample() {
  BlobContent content;
  content.ep = "TestExecutionProvider";
  content.version = "1.2.3";
  content.architecture = "npu";
  content.entries.resize(3);
  const SharedBytes weights = Share(Bytes(1000, 7));
  const SharedBytes same = Share(Bytes(1000, 7));
  content.entries[0] = {"first", {{1, 2, 3}, {weights, Share({9})}, 64}};
  content.entries[1] = {"second", {{}, {Share({}), same, weights}, 128}};
  content.entries[2] = {"third", {{4}, {}, 0}};
  return content;
}

bool AreEqual(const SharedBytes& a, const SharedBytes& b) {
  return a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, a.size) == 0);
}

void TestRoundTrip() {
  const BlobContent content = Sample();
  const Bytes bytes = Encode(content);
  CHECK(bytes.size() < 1700);  // equal chunks are there once
  BlobContent read;
  const SharedBytes shared = Share(bytes);
  const Status status = DecodeBlob(shared, &read);
  if (!CHECK_THAT(status.ok(), std::string("decodes: ") + status.message())) return;
  CHECK(read.ep == content.ep && read.version == "1.2.3" && read.architecture == "npu");
  CHECK(read.workspace == 128 && read.entries.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    const BlobContent::Entry& was = content.entries[i];
    const BlobContent::Entry& is = read.entries[i];
    CHECK(is.name == was.name && is.saved.payload == was.saved.payload);
    CHECK(is.saved.workspace == was.saved.workspace);
    if (!CHECK(is.saved.chunks.size() == was.saved.chunks.size())) continue;
    for (size_t c = 0; c < was.saved.chunks.size(); ++c) {
      const SharedBytes& chunk = is.saved.chunks[c];
      CHECK(AreEqual(chunk, was.saved.chunks[c]) && chunk.owner == shared.owner);
      CHECK(reinterpret_cast<uintptr_t>(chunk.data) % kBlobAlignment == 0);
    }
  }
  CHECK(read.entries[0].saved.chunks[0].data == read.entries[1].saved.chunks[2].data);
  CHECK(Encode(read) == bytes);
  CHECK(Decode(Encode(BlobContent())).ok());
}

void TestErrors() {
  const Bytes bytes = Encode(Sample());
  CHECK(Contains(Decode({}), "not compiled data"));
  CHECK(Contains(Decode(Bytes(100, 0)), "not compiled data"));
  for (size_t size = 0; size < bytes.size(); ++size) {
    Bytes cut = bytes;
    cut.resize(size);
    const Status status = Decode(cut);
    CHECK(!status.ok() && (size == 0 || Contains(status, "truncated")));
  }
  Bytes changed = bytes;
  changed.push_back(0);
  CHECK(Contains(Decode(changed), "too many"));
  changed = bytes;
  changed[8] = 2;
  CHECK(Contains(Decode(changed), "newer"));
  changed = bytes;
  changed[64] ^= 1;
  CHECK(Contains(Decode(changed), "checksum"));
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      changed = bytes;
      changed[i] ^= static_cast<unsigned char>(1 << bit);
      CHECK(!Decode(changed).ok());
    }
  }
  BlobContent content = Sample();
  content.entries[2].name = "first";
  CHECK(Contains(EncodeBlob(content, &changed), "'first'"));
  content.entries[2].name = "";
  CHECK(!EncodeBlob(content, &changed).ok());
  SharedBytes shifted = Share(bytes);
  ++shifted.data;
  --shifted.size;
  CHECK(Contains(DecodeBlob(shifted, &content), "aligned"));
}

void Put(Bytes* bytes, size_t at, uint64_t value) {
  for (size_t i = 0; i < sizeof value; ++i) {
    (*bytes)[at + i] = static_cast<unsigned char>(value >> 8 * i);
  }
}

// With checksums that are right again, every byte of the directory may be anything.
void TestForged() {
  constexpr size_t kDirectory = 24;
  constexpr size_t kDirectorySum = 32;
  constexpr size_t kHeaderSum = 56;
  const Bytes bytes = Encode(Sample());
  uint64_t start = 0;
  for (size_t i = 8; i-- > 0;) start = start << 8 | bytes[kDirectory + i];
  for (size_t i = start; i < bytes.size(); ++i) {
    for (int byte : {0x00, 0x01, 0x02, 0x40, 0x7F, 0xFF}) {
      Bytes changed = bytes;
      changed[i] = static_cast<unsigned char>(byte);
      Put(&changed, kDirectorySum, Checksum(&changed[start], changed.size() - start));
      Put(&changed, kHeaderSum, Checksum(changed.data(), kHeaderSum));
      BlobContent content;
      const Status status = DecodeBlob(Share(changed), &content);
      CHECK(status.ok() || *status.message() != '\0');
    }
  }
  const uint64_t size = bytes.size();
  for (uint64_t offset :
       {uint64_t{0}, uint64_t{63}, start - 1, start - 64, size + 1, ~uint64_t{0}}) {
    Bytes changed = bytes;
    Put(&changed, kDirectory, offset);
    Put(&changed, kHeaderSum, Checksum(changed.data(), kHeaderSum));
    CHECK(!Decode(changed).ok());
  }
}

}  // namespace
}  // namespace <%= ns %>::test

int main() {
  using namespace <%= ns %>::test;  // NOLINT: for the list below
  CHECK(<%= ns %>::Checksum("123456789", 9) == 0x995DC9BBDF1939FA);
  TestRoundTrip();
  TestErrors();
  TestForged();
  return Verdict();
}
