<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

// Bytes in a fixed order, little-endian, on every machine.
namespace <%= ns %> {

class ByteWriter {
 public:
  explicit ByteWriter(std::vector<unsigned char>* bytes) : bytes_(bytes) {}

  void U8(uint8_t value) { bytes_->push_back(value); }
  void U32(uint32_t value) { Number(value, sizeof value); }
  void U64(uint64_t value) { Number(value, sizeof value); }
  void I32(int32_t value) { U32(static_cast<uint32_t>(value)); }
  void I64(int64_t value) { U64(static_cast<uint64_t>(value)); }
  void F32(float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    U32(bits);
  }
  // With its length.
  void Block(const void* data, size_t size) {
    U64(size);
    Raw(data, size);
  }
  void Text(const std::string& text) { Block(text.data(), text.size()); }

  void Raw(const void* data, size_t size) {
    const auto* begin = static_cast<const unsigned char*>(data);
    if (size != 0) bytes_->insert(bytes_->end(), begin, begin + size);
  }

 private:
  void Number(uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) bytes_->push_back(static_cast<unsigned char>(value >> 8 * i));
  }

  std::vector<unsigned char>* bytes_;
};

// Reads them back, whatever they are. What reaches beyond the end gives zeros, and from then on
// ok() is false: it is enough to ask before anything is made of what was read.
class ByteReader {
 public:
  ByteReader(const unsigned char* data, size_t size) : at_(data), left_(size) {}

  bool ok() const noexcept { return ok_; }
  size_t left() const noexcept { return left_; }

  uint8_t U8() { return static_cast<uint8_t>(Number(1)); }
  uint32_t U32() { return static_cast<uint32_t>(Number(4)); }
  uint64_t U64() { return Number(8); }
  int32_t I32() { return static_cast<int32_t>(U32()); }
  int64_t I64() { return static_cast<int64_t>(U64()); }
  float F32() {
    const uint32_t bits = U32();
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  // How many items follow, each of at least `size` bytes; 0 where there is no room for so many. So
  // a number out of the bytes never makes anybody allocate or loop for more than is there.
  size_t Count(size_t size) {
    const uint64_t count = U64();
    if (count > left_ / size) Fail();
    return ok_ ? static_cast<size_t>(count) : 0;
  }

  std::vector<unsigned char> Block() {
    const size_t size = Count(1);
    const unsigned char* data = Take(size);
    return data == nullptr ? std::vector<unsigned char>()
                           : std::vector<unsigned char>(data, data + size);
  }
  std::string Text() {
    const size_t size = Count(1);
    const unsigned char* data = Take(size);
    return data == nullptr ? std::string() : std::string(data, data + size);
  }

  void Fail() noexcept {
    ok_ = false;
    left_ = 0;
  }

 private:
  // Null when there are not so many.
  const unsigned char* Take(size_t size) {
    if (size > left_) Fail();
    if (!ok_) return nullptr;
    const unsigned char* data = at_;
    at_ += size;
    left_ -= size;
    return data;
  }
  uint64_t Number(size_t size) {
    const unsigned char* data = Take(size);
    uint64_t value = 0;
    for (size_t i = 0; data != nullptr && i < size; ++i) value |= uint64_t{data[i]} << 8 * i;
    return value;
  }

  const unsigned char* at_;
  size_t left_;
  bool ok_ = true;
};

}  // namespace <%= ns %>
