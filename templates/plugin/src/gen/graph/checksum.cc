<%= banner %>
#include "gen/graph/checksum.h"

namespace <%= ns %> {
namespace {

constexpr size_t kStep = 8;  // bytes at a time, each through a table of its own

struct Tables {
  uint64_t rows[kStep][256];
};

constexpr Tables MakeTables() {
  constexpr uint64_t kPolynomial = 0xC96C5795D7870F42;
  Tables tables{};
  for (uint64_t byte = 0; byte < 256; ++byte) {
    uint64_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1) != 0 ? kPolynomial : 0);
    tables.rows[0][byte] = rest;
  }
  for (size_t row = 1; row < kStep; ++row) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint64_t before = tables.rows[row - 1][byte];
      tables.rows[row][byte] = before >> 8 ^ tables.rows[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

}  // namespace

uint64_t Checksum(const void* data, size_t size) noexcept {
  const auto* at = static_cast<const unsigned char*>(data);
  uint64_t sum = ~uint64_t{0};
  for (; size >= kStep; size -= kStep, at += kStep) {
    uint64_t word = 0;
    for (size_t i = 0; i < kStep; ++i) word |= uint64_t{at[i]} << 8 * i;
    word ^= sum;
    sum = 0;
    for (size_t i = 0; i < kStep; ++i) sum ^= kTables.rows[kStep - 1 - i][word >> 8 * i & 0xFF];
  }
  for (; size > 0; --size, ++at) sum = sum >> 8 ^ kTables.rows[0][(sum ^ *at) & 0xFF];
  return ~sum;
}

}  // namespace <%= ns %>
