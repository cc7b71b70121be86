<%= banner %>
#include "gen/kernels/support/random.h"

#include <cstring>
#include <random>

#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// A key that, in all likelihood, no other call has.
uint64_t FreshKey() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

// The 53 bits that a double holds of numbers below 1.
double Fraction(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

}  // namespace

Random::Random(float seed, bool has_seed) : key_(0) {
  if (!has_seed) {
    key_ = FreshKey();
    return;
  }
  uint32_t bits = 0;
  std::memcpy(&bits, &seed, sizeof bits);
  key_ = bits;
}

Random::Block Random::At(int64_t position) const {
  uint32_t x[] = {Low(static_cast<uint64_t>(position)), High(static_cast<uint64_t>(position)), 0, 0};
  uint32_t key[] = {Low(key_), High(key_)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t p = uint64_t{0xD2511F53u} * x[0];
    const uint64_t q = uint64_t{0xCD9E8D57u} * x[2];
    const uint32_t mixed[] = {High(q) ^ x[1] ^ key[0], Low(q), High(p) ^ x[3] ^ key[1], Low(p)};
    std::memcpy(x, mixed, sizeof x);
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return {uint64_t{x[1]} << 32 | x[0], uint64_t{x[3]} << 32 | x[2]};
}

double Random::Uniform(int64_t position) const { return Fraction(At(position).a); }

double Random::Normal(int64_t position) const {
  constexpr double kTurn = 6.283185307179586;
  const Block block = At(position);
  // The method of Box and Muller. The logarithm's argument is above 0, up to 1.
  return Sqrt(-2 * Log(1 - Fraction(block.a))) * Cos(kTurn * Fraction(block.b));
}

}  // namespace <%= ns %>
