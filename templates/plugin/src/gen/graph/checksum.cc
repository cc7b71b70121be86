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

// Written out, so that it is one load.
uint64_t LoadWord(const unsigned char* at) noexcept {
  return uint64_t{at[0]} | uint64_t{at[1]} << 8 | uint64_t{at[2]} << 16 | uint64_t{at[3]} << 24 |
         uint64_t{at[4]} << 32 | uint64_t{at[5]} << 40 | uint64_t{at[6]} << 48 |
         uint64_t{at[7]} << 56;
}

}  // namespace

uint64_t Checksum(const void* data, size_t size) noexcept {
  const auto* at = static_cast<const unsigned char*>(data);
  const auto& rows = kTables.rows;
  uint64_t sum = ~uint64_t{0};
  for (; size >= kStep; size -= kStep, at += kStep) {
    const uint64_t word = LoadWord(at) ^ sum;
    sum = rows[7][word & 0xFF] ^ rows[6][word >> 8 & 0xFF] ^ rows[5][word >> 16 & 0xFF] ^
          rows[4][word >> 24 & 0xFF] ^ rows[3][word >> 32 & 0xFF] ^ rows[2][word >> 40 & 0xFF] ^
          rows[1][word >> 48 & 0xFF] ^ rows[0][word >> 56];
  }
  for (; size > 0; --size, ++at) sum = sum >> 8 ^ rows[0][(sum ^ *at) & 0xFF];
  return ~sum;
}

}  // namespace <%= ns %>
